//! Published advisories of the plugin: which of them a version has, and what closes each at the edge until the update.

use std::cmp::Ordering;

use calendar_edge_core::gateway::decision::Decider;
use calendar_edge_core::settings::{OtherTraffic, Settings};
use http::header::COOKIE;
use http::{Method, Request};
use serde::Deserialize;

/// The advisories, newest first.
const PUBLISHED: &str = include_str!("advisories.toml");

#[derive(Deserialize)]
struct AdvisoryFile {
    advisory: Vec<Advisory>,
}

/// A published hole of the plugin.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Advisory {
    /// The number of its record at cve.org.
    pub(crate) id: String,
    /// The first version that has it; none: each before its end.
    from: Option<String>,
    /// The last version that is known to have it.
    through: Option<String>,
    /// The first version without it.
    fixed: Option<String>,
    /// The harm, as the end of a sentence.
    pub(crate) hole: String,
    closed_by: ClosedBy,
    /// The namespace outside of the calendar API that has it; none where that is not one namespace alone.
    namespace: Option<String>,
}

/// A setting of the edge that closes a hole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ClosedBy {
    /// The accounts that may write.
    Writers,
    /// The rest of the site, if it is not forwarded.
    Other,
    Nothing,
}

/// The advisories that concern a version of the plugin, as the site shows it.
///
/// # Errors
/// The data is not what it must be, which a test excludes.
pub(crate) fn advisories(version: &str) -> Result<Vec<Advisory>, toml::de::Error> {
    let published: AdvisoryFile = toml::from_str(PUBLISHED)?;
    let mut advisories = published.advisory;
    advisories.retain(|advisory| advisory.concerns(version));
    Ok(advisories)
}

// === impl Advisory ===

impl Advisory {
    fn concerns(&self, version: &str) -> bool {
        let order = |other: &Option<String>| other.as_deref().map(|other| by_number(version, other));
        order(&self.from) != Some(Ordering::Less)
            && order(&self.through) != Some(Ordering::Greater)
            && order(&self.fixed).is_none_or(Ordering::is_lt)
    }

    /// The end of it: `fixed in 6.17.5`.
    pub(crate) fn end(&self) -> String {
        match (&self.fixed, &self.through) {
            (Some(fixed), _) => format!("fixed in {fixed}"),
            (None, Some(through)) => format!("known up to {through}"),
            (None, None) => "not fixed yet".to_owned(),
        }
    }

    /// The settings that close it, if these do.
    pub(crate) fn closed_by(&self, settings: &Settings) -> Option<&'static str> {
        match self.closed_by {
            ClosedBy::Writers if !settings.writers.is_empty() => Some("`writers`"),
            ClosedBy::Other if settings.other == OtherTraffic::Refuse => Some("`other = \"refuse\"`"),
            ClosedBy::Other if self.is_closed_by_rule(settings) => Some("`[[surface]]`"),
            ClosedBy::Writers | ClosedBy::Other | ClosedBy::Nothing => None,
        }
    }

    /// Returns true if the rules about the rest of the site let nobody call its namespace, also with a login cookie:
    /// whoever makes one up passes as far as the edge can tell.
    fn is_closed_by_rule(&self, settings: &Settings) -> bool {
        let Some(namespace) = &self.namespace else {
            return false;
        };
        let decider = Decider::new(settings);
        let is_refused = |method: Method| {
            let request = Request::builder()
                .method(method)
                .uri(format!("/?rest_route=/{namespace}/any"))
                .header(COOKIE, "wordpress_logged_in_any=any")
                .body(());
            request.is_ok_and(|request| {
                let (head, ()) = request.into_parts();
                let asked = decider.surface_request(&head);
                let verdict = asked.as_ref().and_then(|asked| decider.surface().judge(asked));
                verdict.is_some_and(|verdict| verdict.is_refused())
            })
        };
        [Method::GET, Method::POST].into_iter().all(is_refused)
    }

    /// The advice for an edge that leaves it open.
    pub(crate) fn advice(&self) -> String {
        match (self.closed_by, &self.namespace) {
            (ClosedBy::Writers, _) => "until the update, list in `writers` whose writes pass".to_owned(),
            (ClosedBy::Other, Some(namespace)) => format!(
                "until the update, close \"{namespace}/*\" by a rule of `[[surface]]` with `callers = \"nobody\"` in mode enforce, or set \
                 `other = \"refuse\"`"
            ),
            (ClosedBy::Other, None) => {
                "until the update, `other = \"refuse\"` alone closes it here".to_owned()
            }
            (ClosedBy::Nothing, _) => "no setting closes it here: update".to_owned(),
        }
    }
}

/// The order of two versions by their numbers; what is missing is 0.
fn by_number(left: &str, right: &str) -> Ordering {
    let (left, right) = (numbers(left), numbers(right));
    let longest = left.len().max(right.len());
    let at = |numbers: &[u64], place: usize| numbers.get(place).copied().unwrap_or(0);
    let mut places = (0..longest).map(|place| at(&left, place).cmp(&at(&right, place)));
    places.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

/// The numbers of a version, up to the first part that does not begin with one.
fn numbers(version: &str) -> Vec<u64> {
    let digits = |part: &str| part.chars().take_while(char::is_ascii_digit).collect::<String>();
    let parts = version.split(['.', '-']).map(|part| digits(part).parse().ok());
    parts.map_while(|number| number).collect()
}

#[cfg(test)]
mod tests {
    use calendar_edge_core::settings::{Mode, RoutePattern, SurfaceCallers, SurfacePattern, SurfaceRule};

    use super::*;

    fn of(version: &str) -> Vec<String> {
        let advisories = advisories(version).unwrap().into_iter();
        advisories.map(|advisory| advisory.id).collect()
    }

    #[test]
    fn each_advisory_ends_somewhere_and_stands_once() {
        let published: AdvisoryFile = toml::from_str(PUBLISHED).unwrap();
        for advisory in &published.advisory {
            assert!(
                advisory.fixed.is_some() != advisory.through.is_some(),
                "{advisory:?}"
            );
            let year_and_number = advisory
                .id
                .strip_prefix("CVE-")
                .and_then(|rest| rest.split_once('-'));
            assert!(
                year_and_number
                    .is_some_and(|(year, number)| year.len() == 4 && number.parse::<u32>().is_ok())
            );
            let same = published.advisory.iter().filter(|other| other.id == advisory.id);
            assert_eq!(same.count(), 1, "{advisory:?}");
        }
    }

    #[test]
    fn a_version_has_the_holes_of_its_range() {
        let has = |version: &str, id: &str| of(version).iter().any(|known| known == id);
        for (id, affected, free) in [
            (
                "CVE-2026-2694",
                &["5.12.4", "6.15.9", "6.15.16"][..],
                &["6.15.16.1", "6.16"][..],
            ),
            (
                "CVE-2026-84743",
                &["6.15.16.1", "6.17.4.1"],
                &["6.15.16", "6.17.5", "6.18"],
            ),
            ("CVE-2025-12197", &["6.15.1.1", "6.15.9"], &["6.15.1", "6.15.10"]),
            ("CVE-2024-5333", &["6.8.2", "6.8.2.0"], &["6.8.2.1", "6.10.0"]),
            (
                "CVE-2026-49772",
                &["6.15.12", "6.16.2"],
                &["6.15.11", "6.16.3-rc1"],
            ),
        ] {
            assert!(affected.iter().all(|version| has(version, id)), "{id}");
            assert!(!free.iter().any(|version| has(version, id)), "{id}");
        }
        assert!(of("99").is_empty());
    }

    #[test]
    fn settings_close_what_they_name() {
        let advisories = advisories("6.15.16").unwrap();
        let closed = |settings: &Settings, id: &str| {
            let advisory = advisories.iter().find(|advisory| advisory.id == id);
            advisory.and_then(|advisory| advisory.closed_by(settings))
        };
        let mut settings = Settings::for_origin("http://origin.example/wp-json".parse().unwrap());
        assert_eq!(closed(&settings, "CVE-2026-2694"), None);
        assert_eq!(closed(&settings, "CVE-2026-49772"), Some("`other = \"refuse\"`"));
        settings.writers = vec!["editor".to_owned()];
        settings.other = OtherTraffic::Forward;
        assert_eq!(closed(&settings, "CVE-2026-2694"), Some("`writers`"));
        assert_eq!(closed(&settings, "CVE-2026-49772"), None);
        let mut rule = SurfaceRule {
            routes: vec![SurfacePattern::Route(RoutePattern::parse("tec/v1/*").unwrap())],
            callers: SurfaceCallers::Credentials,
            mode: Mode::Enforce,
            ..SurfaceRule::default()
        };
        settings.surface = vec![rule.clone()];
        assert_eq!(
            closed(&settings, "CVE-2026-49772"),
            None,
            "a made-up cookie passes"
        );
        rule.callers = SurfaceCallers::Nobody;
        settings.surface = vec![rule];
        assert_eq!(closed(&settings, "CVE-2026-49772"), Some("`[[surface]]`"));
        assert_eq!(closed(&settings, "CVE-2026-13390"), None, "another namespace");
        assert_eq!(closed(&settings, "CVE-2026-84741"), None);
    }
}
