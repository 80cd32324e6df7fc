//! Rules for the routes and scripts of the rest of the site: the callers that pass, and their rate.

mod surface_preset;

use http::Method;

use crate::settings::keys::MODES;
use crate::settings::keys::TextError;
use crate::settings::keys::form::KNOWN_NAMESPACE;
use crate::settings::keys::group::settings_group;
use crate::settings::keys::nearest;
use crate::settings::keys::rule_form::{METHOD, ROUTE, SURFACE_NAME};
use crate::settings::rate::Rate;
use calendar_edge_judge::policy::Mode;

pub use surface_preset::{SURFACE_PRESETS, SiteDoor, SurfacePreset};

const CALLERS: [(&str, SurfaceCallers); 3] = [
    (SurfaceCallers::Anybody.name(), SurfaceCallers::Anybody),
    (SurfaceCallers::Credentials.name(), SurfaceCallers::Credentials),
    (SurfaceCallers::Nobody.name(), SurfaceCallers::Nobody),
];
const ANSWERS: [(&str, SurfaceRefusal); 2] = [
    ("unauthorized", SurfaceRefusal::Unauthorized),
    ("not_found", SurfaceRefusal::NotFound),
];

settings_group! {
    /// One table per rule about routes, scripts and pages of the rest of the site, see
    /// [surface.md](../guides/surface.md). Only with `other = "forward"`. The first rule that takes a request counts; a
    /// request that no rule takes passes.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct SurfaceRule {
        /// A unique name in logs and metrics.
        pub name: String = String::new() => text(SURFACE_NAME), "the first of `routes`";
        /// Routes without `/wp-json`, where `*` stands for one segment and at the end for one or more, or presets:
        /// `users`, `batch`, `xmlrpc`, `xmlrpc-multicall`, `login`, `tec/v1`, `tickets`.
        pub routes: Vec<SurfacePattern> = Vec::new() => list(ROUTE, 1), "required";
        /// The methods that the rule takes. GET includes HEAD. A method that a client names in `_method` or
        /// `X-HTTP-Method-Override` counts as WordPress counts it.
        pub methods: Vec<Method> = Vec::new() => list(METHOD, 1), "all";
        /// The callers that pass. `credentials`: Basic, Bearer or the cookie of a login is present; the site checks
        /// it. Preflights of browsers pass as well.
        pub callers: SurfaceCallers = SurfaceCallers::Anybody => choice(CALLERS);
        /// `report` counts and logs those that would not pass, and lets them pass. `off`: as if the rule were not
        /// there.
        pub mode: Mode = Mode::Report => choice(MODES);
        /// The most requests of a client address that pass the rule; further ones get 429.
        pub rate: Option<Rate> = None => rate(), "any number";
        /// `unauthorized`: 401 `rest_forbidden`, or 403 for scripts and pages. `not_found`: 404 `rest_no_route`, or
        /// 404.
        pub answer: SurfaceRefusal = SurfaceRefusal::Unauthorized => choice(ANSWERS);
    }
}

settings_group! {
    /// The rule for REST namespaces that nothing else names, such as those of plugins that are installed later.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct SurfaceDefault {
        /// The callers of routes in namespaces that no rule of `[[surface]]` and no entry of `known` names. Those of
        /// WordPress itself, of the companion plugin, and of the calendar's pages (`tribe/views`) always pass.
        pub unknown: Option<SurfaceCallers> = None => choice(CALLERS), "all pass";
        /// Namespaces that stay open.
        pub known: Vec<String> = Vec::new() => list(KNOWN_NAMESPACE, 0), "none";
        /// As for rules.
        pub mode: Mode = Mode::Report => choice(MODES);
    }
}

/// The callers that pass a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SurfaceCallers {
    /// All callers.
    #[default]
    Anybody,
    /// Those that show credentials. The site checks them.
    Credentials,
    /// None.
    Nobody,
}

/// The response of a closed route.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SurfaceRefusal {
    /// 401 `rest_forbidden`; 403 for scripts and pages.
    #[default]
    Unauthorized,
    /// 404 `rest_no_route`; 404 for scripts and pages.
    NotFound,
}

/// A pattern of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SurfacePattern {
    /// Everything that belongs to one subject.
    Preset(&'static SurfacePreset),
    /// Routes.
    Route(RoutePattern),
}

/// Routes by their segments: `wp/v2/users`, `wp/v2/users/*`, `wp/v2/*/revisions`, `*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoutePattern {
    /// The text in settings, in lower case.
    pub text: String,
    /// The beginning of every route that it matches, if nothing else decides.
    beginning: Option<String>,
}

/// The segment that stands for any one, and at the end for one or more.
const ANY: &str = "*";

/// The most bytes of a pattern.
const LONGEST: usize = 200;

// === impl SurfaceRule ===

impl SurfaceRule {
    /// Returns true if a rule takes requests with this method.
    pub fn takes_method(&self, method: &Method) -> bool {
        let method = if *method == Method::HEAD {
            &Method::GET
        } else {
            method
        };
        self.methods.is_empty() || self.methods.contains(method)
    }

    /// Returns true if a rule refuses callers, so that the site should have it as well.
    pub fn is_enforced(&self) -> bool {
        self.mode == Mode::Enforce && self.callers != SurfaceCallers::Anybody
    }
}

// === impl SurfaceCallers ===

impl SurfaceCallers {
    /// The name in settings and for operators.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Anybody => "anybody",
            Self::Credentials => "credentials",
            Self::Nobody => "nobody",
        }
    }
}

// === impl SurfacePattern ===

impl SurfacePattern {
    /// Reads a preset or a route pattern.
    ///
    /// # Errors
    /// A text that is neither.
    pub fn parse(text: &str) -> Result<Self, TextError> {
        if let Some(preset) = SurfacePreset::named(text) {
            return Ok(Self::Preset(preset));
        }
        let is_route = text == ANY || text.contains('/');
        match RoutePattern::parse(text) {
            Some(pattern) if is_route => Ok(Self::Route(pattern)),
            Some(_) => Err(unknown_preset(text)),
            None => Err(TextError::Malformed),
        }
    }

    /// The text in settings.
    pub fn text(&self) -> &str {
        match self {
            Self::Preset(preset) => preset.name,
            Self::Route(pattern) => &pattern.text,
        }
    }

    /// The routes that it names.
    pub fn routes(&self) -> Vec<RoutePattern> {
        match self {
            Self::Preset(preset) => preset.doors.iter().filter_map(SiteDoor::route).collect(),
            Self::Route(pattern) => vec![pattern.clone()],
        }
    }
}

fn unknown_preset(text: &str) -> TextError {
    let meant = nearest(text, SURFACE_PRESETS.iter().map(|preset| preset.name));
    let meant = meant.map(|meant| format!(", did you mean `{meant}`?"));
    TextError::Impossible(format!("there is no preset `{text}`{}", meant.unwrap_or_default()).into())
}

// === impl RoutePattern ===

impl RoutePattern {
    /// Reads a pattern: segments of letters, digits, `.`, `_` and `-`, or `*` alone.
    pub fn parse(text: &str) -> Option<Self> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        let is_segment =
            |segment: &str| segment == ANY || !segment.is_empty() && segment.bytes().all(is_plain);
        let text = text.strip_prefix('/').unwrap_or(text);
        let is_pattern = text.len() <= LONGEST && text.split('/').all(is_segment);
        is_pattern.then(|| Self::of(text.to_ascii_lowercase()))
    }

    fn of(text: String) -> Self {
        let beginning = text
            .strip_suffix(ANY)
            .filter(|beginning| !beginning.contains(ANY));
        Self {
            beginning: beginning.map(str::to_owned),
            text,
        }
    }

    /// Returns true for a route in the form of [`SiteTarget::Route`](calendar_edge_judge::routing::SiteTarget::Route).
    pub fn matches(&self, route: &str) -> bool {
        match &self.beginning {
            Some(beginning) => route.len() > beginning.len() && route.starts_with(beginning.as_str()),
            None if self.text.contains(ANY) => covers(&segments(&self.text), &segments(route)),
            None => self.text == route,
        }
    }

    /// Its namespace: its segments up to the first that looks like a version, or else the first one; empty if that
    /// stands for any.
    pub fn namespace(&self) -> String {
        let fixed = self.text.split('/').take_while(|segment| *segment != ANY);
        let fixed: Vec<&str> = fixed.collect();
        let is_version = |segment: &&str| {
            let number = segment.strip_prefix('v').unwrap_or(segment);
            number.starts_with(|first: char| first.is_ascii_digit())
        };
        let end = fixed.iter().position(is_version).unwrap_or(0);
        fixed.into_iter().take(end + 1).collect::<Vec<_>>().join("/")
    }
}

fn segments(text: &str) -> Vec<&str> {
    text.split('/').collect()
}

fn covers(pattern: &[&str], other: &[&str]) -> bool {
    match (pattern, other) {
        ([ANY], [first, ..]) => !first.is_empty(),
        (_, [ANY]) => false,
        ([ANY, rest @ ..], [_, others @ ..]) => covers(rest, others),
        ([first, rest @ ..], [other, others @ ..]) => first == other && covers(rest, others),
        (rest, others) => rest.is_empty() && others.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> RoutePattern {
        RoutePattern::parse(text).expect(text)
    }

    #[test]
    fn a_star_stands_for_a_segment_and_at_the_end_for_more() {
        for (text, route, expected) in [
            ("wp/v2/users", "wp/v2/users", true),
            ("/WP/v2/Users", "wp/v2/users", true),
            ("wp/v2/users", "wp/v2/users/7", false),
            ("wp/v2/users", "wp/v2/userships", false),
            ("wp/v2/users/*", "wp/v2/users", false),
            ("wp/v2/users/*", "wp/v2/users/7", true),
            ("wp/v2/users/*", "wp/v2/users/7/application-passwords", true),
            ("wp/v2/*/revisions", "wp/v2/7/revisions", true),
            ("wp/v2/*/revisions", "wp/v2/7/8/revisions", false),
            ("wp/v2/*/revisions/*", "wp/v2/posts/revisions/1/2", true),
            ("*", "wp/v2", true),
            ("*", "", false),
        ] {
            assert_eq!(pattern(text).matches(route), expected, "{text} {route}");
        }
    }

    #[test]
    fn a_word_alone_is_a_preset() {
        for (text, expected) in [
            ("users", Ok("users")),
            ("tec/v1", Ok("tec/v1")),
            ("wp/v2/*", Ok("wp/v2/*")),
            ("usrs", Err(unknown_preset("usrs"))),
            ("wp/v2/user*", Err(TextError::Malformed)),
            ("wp//v2", Err(TextError::Malformed)),
            ("wp/v2/users?context=edit", Err(TextError::Malformed)),
            ("", Err(TextError::Malformed)),
        ] {
            let read = SurfacePattern::parse(text);
            assert_eq!(
                read.as_ref().map(SurfacePattern::text),
                expected.as_ref().map(|text| *text),
                "{text}"
            );
        }
    }
}
