//! The rules that are enforced, as the list that the companion plugin enforces where WordPress dispatches.

use http::Method;

use crate::settings::{Mode, Settings, SurfaceCallers, SurfacePattern, SurfaceRefusal, SurfaceRule};

use super::surface_rules::known_namespaces;

/// The constant, or the environment variable, that has the list.
pub const COMPANION_LIST: &str = "CALENDAR_EDGE_SURFACE";

/// The rules about routes for [`COMPANION_LIST`], in their order, as `CALLERS [METHODS] PATTERN [not_found]`; none if no
/// rule about routes is enforced.
///
/// A rule that only reports stands before an enforced one as a rule that lets every caller pass, as at the edge.
pub fn companion_list(settings: &Settings) -> Option<String> {
    let rules = settings.surface.iter().filter(|rule| rule.mode != Mode::Off);
    let mut entries: Vec<ListedRule> = rules.flat_map(listed).collect();
    entries.extend(unknown(settings));
    let last = entries.iter().rposition(|(_, is_closed)| *is_closed)?;
    let texts = entries.into_iter().take(last + 1).map(|(text, _)| text);
    Some(texts.collect::<Vec<_>>().join(", "))
}

/// An entry of the list, and whether it closes a door.
type ListedRule = (String, bool);

fn listed(rule: &SurfaceRule) -> Vec<ListedRule> {
    let is_closed = rule.is_enforced();
    let callers = if is_closed {
        rule.callers
    } else {
        SurfaceCallers::Anybody
    };
    let names = rule.methods.iter().map(Method::as_str);
    let methods: String = names.flat_map(|name| [name, " "]).collect();
    let hides = is_closed && rule.answer == SurfaceRefusal::NotFound;
    let end = if hides { " not_found" } else { "" };
    let entry = |pattern: &str| (format!("{} {methods}{pattern}{end}", callers.name()), is_closed);
    let patterns = rule.routes.iter().flat_map(SurfacePattern::routes);
    patterns.map(|pattern| entry(&pattern.text)).collect()
}

/// The entries of `[surface_default]`: known namespaces, then all others.
fn unknown(settings: &Settings) -> Vec<ListedRule> {
    let default = &settings.surface_default;
    let callers = default
        .unknown
        .filter(|callers| *callers != SurfaceCallers::Anybody);
    let Some(callers) = callers.filter(|_| default.mode == Mode::Enforce) else {
        return Vec::new();
    };
    let mut known = known_namespaces(settings);
    known.sort_unstable();
    known.dedup();
    let open = |pattern: String| (format!("{} {pattern}", SurfaceCallers::Anybody.name()), false);
    let entries = known.into_iter();
    let entries = entries.flat_map(|known| [open(known.clone()), open(format!("{known}/*"))]);
    let all = (format!("{} *", callers.name()), true);
    entries.chain([all]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::OtherTraffic;

    fn rule(callers: SurfaceCallers, mode: Mode, routes: &[&str]) -> SurfaceRule {
        let routes = routes
            .iter()
            .map(|text| SurfacePattern::parse(text).expect("a pattern"));
        SurfaceRule {
            routes: routes.collect(),
            callers,
            mode,
            ..SurfaceRule::default()
        }
    }

    fn settings(surface: Vec<SurfaceRule>) -> Settings {
        let mut settings = Settings::for_origin("http://127.0.0.1/wp-json".parse().expect("a URL"));
        settings.other = OtherTraffic::Forward;
        settings.surface = surface;
        settings
    }

    #[test]
    fn the_list_holds_what_the_edge_enforces() {
        use SurfaceCallers::{Anybody, Credentials, Nobody};
        let hidden = SurfaceRule {
            methods: vec![Method::POST, Method::DELETE],
            answer: SurfaceRefusal::NotFound,
            ..rule(Nobody, Mode::Enforce, &["wp/v2/comments/*"])
        };
        for (rules, expected) in [
            (vec![], None),
            (vec![rule(Nobody, Mode::Report, &["users"])], None),
            (vec![rule(Nobody, Mode::Enforce, &["xmlrpc"])], None),
            (
                vec![rule(Credentials, Mode::Enforce, &["users", "batch/v1/*"])],
                Some("credentials wp/v2/users, credentials wp/v2/users/*, credentials batch/v1/*"),
            ),
            (
                vec![
                    rule(Nobody, Mode::Report, &["wc/v3/*"]),
                    rule(Nobody, Mode::Off, &["*"]),
                    hidden,
                    rule(Anybody, Mode::Enforce, &["wp/*"]),
                ],
                Some("anybody wc/v3/*, nobody POST DELETE wp/v2/comments/* not_found"),
            ),
        ] {
            assert_eq!(companion_list(&settings(rules)).as_deref(), expected);
        }
    }

    #[test]
    fn known_namespaces_stand_before_all_others() {
        let mut settings = settings(vec![rule(SurfaceCallers::Anybody, Mode::Report, &["tec/v1"])]);
        settings.surface_default.unknown = Some(SurfaceCallers::Credentials);
        settings.surface_default.mode = Mode::Enforce;
        let list = companion_list(&settings).expect("a list");
        for part in ["anybody wp/*, ", "anybody tribe/views/*, ", "anybody tec/v1/*, "] {
            assert!(list.contains(part), "{list}");
        }
        assert!(list.ends_with(", credentials *"), "{list}");
    }
}
