//! The keys of `[[surface]]` and `[surface_default]`.

use http::Method;

use super::form;
use super::key::ValueKind::{Choice, List, Rate, Text};
use super::key::{KeyRow, ListStore, TextError, TextForm};
use super::keys::{MODE_NAMES, MODES, SettingKey, names};
use super::nearest::nearest;
use super::problem::Impossible;
use calendar_edge_core::settings::{
    PatternFault, SURFACE_PRESETS, SurfaceAnswer, SurfaceCallers, SurfacePattern, SurfaceRule,
};

type SurfaceKey = KeyRow<SurfaceRule>;

static RULE_NAME: TextForm = TextForm::new(
    "name",
    "a name of up to 64 letters, digits, \"-\", \"_\", \".\" and \"/\"",
    &["users"],
);
static ROUTE: TextForm = TextForm::new(
    "preset or route",
    "a preset, or a route by its segments, of which \"*\" stands for any",
    &["users", "wp/v2/comments", "wp/v2/comments/*"],
);
static METHOD: TextForm = TextForm::new("method", "a method of the REST API", &["POST", "DELETE"]);

const METHODS: [Method; 6] = [
    Method::GET,
    Method::POST,
    Method::PUT,
    Method::PATCH,
    Method::DELETE,
    Method::OPTIONS,
];
const CALLERS: [(&str, SurfaceCallers); 3] = [
    ("anybody", SurfaceCallers::Anybody),
    ("credentials", SurfaceCallers::Credentials),
    ("nobody", SurfaceCallers::Nobody),
];
const CALLER_NAMES: &[&str] = &names(CALLERS);
const ANSWERS: [(&str, SurfaceAnswer); 2] = [
    ("unauthorized", SurfaceAnswer::Unauthorized),
    ("not_found", SurfaceAnswer::NotFound),
];
const ANSWER_NAMES: &[&str] = &names(ANSWERS);
const LONGEST_NAME: usize = 64;

/// The keys of a rule.
pub(super) const SURFACE: &[SurfaceKey] = &[
    SurfaceKey::new(
        "name",
        Text(&RULE_NAME, |rule, text| name(text).map(|name| rule.name = name)),
        "The name in logs and metrics. No two rules have the same.",
    )
    .unset("the first of `routes`"),
    SurfaceKey::new(
        "routes",
        List(
            &ROUTE,
            ListStore::not_empty(
                |rule| rule.routes.clear(),
                |rule, text| pattern(text).map(|pattern| rule.routes.push(pattern)),
            ),
        ),
        "What the rule takes: routes without `/wp-json`, where `*` stands for one segment and at the end for one or \
         more, or presets: `users`, `batch`, `xmlrpc`, `xmlrpc-multicall`, `login`, `tec/v1`, `tickets`. \
         [surface.md](../guides/surface.md) says what each preset covers.",
    )
    .unset("required"),
    SurfaceKey::new(
        "methods",
        List(
            &METHOD,
            ListStore::not_empty(
                |rule| rule.methods.clear(),
                |rule, text| method(text).map(|method| rule.methods.push(method)),
            ),
        ),
        "The methods that the rule takes. GET includes HEAD. A method that a client names in `_method` or \
         `X-HTTP-Method-Override` counts as WordPress counts it.",
    )
    .unset("all"),
    SurfaceKey::new(
        "callers",
        Choice(CALLER_NAMES, |rule, index| rule.callers = CALLERS[index].1),
        "The callers that pass. `credentials`: Basic, Bearer or the cookie of a login is present; the site checks it. \
         Preflights of browsers pass as well.",
    )
    .value("\"anybody\""),
    SurfaceKey::new(
        "mode",
        Choice(MODE_NAMES, |rule, index| rule.mode = MODES[index].1),
        "`report` counts and logs those who would not pass, and lets them pass. `off`: as if the rule were not there.",
    )
    .value("\"report\""),
    SurfaceKey::new(
        "rate",
        Rate(|rule| &mut rule.rate),
        "The most requests of a client address that pass the rule, in a budget of their own; further ones get 429.",
    )
    .unset("any number"),
    SurfaceKey::new(
        "answer",
        Choice(ANSWER_NAMES, |rule, index| rule.answer = ANSWERS[index].1),
        "`unauthorized`: 401 `rest_forbidden`, or 403 for scripts and pages. `not_found`: 404 `rest_no_route`, or 404.",
    )
    .value("\"unauthorized\""),
];

/// The keys of the rule for namespaces that no other rule names.
pub(super) const SURFACE_DEFAULT: &[SettingKey] = &[
    SettingKey::new(
        "unknown",
        Choice(CALLER_NAMES, |settings, index| {
            settings.surface_default.unknown = Some(CALLERS[index].1);
        }),
        "The callers of routes in namespaces that no rule of `[[surface]]` and no entry of `known` names. Namespaces of \
         WordPress itself, of the companion plugin, and of the calendar's pages (`tribe/views`) always pass.",
    )
    .unset("all pass"),
    SettingKey::new(
        "known",
        List(
            &form::NAMESPACE,
            ListStore::new(
                |settings| settings.surface_default.known.clear(),
                |settings, text| {
                    let known = &mut settings.surface_default.known;
                    form::namespace(text).map(|namespace| known.push(namespace.to_ascii_lowercase()))
                },
            ),
        ),
        "Namespaces that stay open.",
    )
    .unset("none"),
    SettingKey::new(
        "mode",
        Choice(MODE_NAMES, |settings, index| settings.surface_default.mode = MODES[index].1),
        "As for rules.",
    )
    .value("\"report\""),
];

fn name(text: &str) -> Result<String, TextError> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/');
    let is_name = !text.is_empty() && text.len() <= LONGEST_NAME && text.bytes().all(is_plain);
    is_name.then(|| text.to_owned()).ok_or(TextError::Malformed)
}

fn method(text: &str) -> Result<Method, TextError> {
    let mut methods = METHODS.iter();
    let method = methods.find(|method| method.as_str() == text);
    method.cloned().ok_or(TextError::Malformed)
}

fn pattern(text: &str) -> Result<SurfacePattern, TextError> {
    SurfacePattern::parse(text).map_err(|fault| match fault {
        PatternFault::Malformed => TextError::Malformed,
        PatternFault::UnknownPreset => {
            let meant = nearest(text, SURFACE_PRESETS.iter().map(|preset| preset.name));
            let meant = meant.map(|meant| format!(", did you mean `{meant}`?"));
            TextError::Impossible(Impossible::UnknownPreset(format!(
                "`{text}`{}",
                meant.unwrap_or_default()
            )))
        }
    })
}
