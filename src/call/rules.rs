//! The backend's validate callbacks, one arm each (backend.md section 5).
//!
//! Each arm says what the plugin's own check says for every value it can tell without the origin's
//! database, plugins, PHP build or network; the rest defers.

use super::images::{ImageHosts, is_web};
use super::linked::{IN_DATABASE, judge_entry};
use super::lists::{all, elements, is_numeric_value};
use super::statuses;
use crate::contract::{Kind, Rule};
use crate::credentials::Caller;
use crate::value::datetime;
use crate::value::integer::is_positive_int;
use crate::value::numeric::int_prefix;
use crate::value::timezone::timezone_or_empty;
use crate::value::url_filter::url_or_empty;
use crate::value::{Value, Verdict, Why};

/// What a judgement rests on beside the value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Premises<'a> {
    /// Who asks.
    pub(crate) caller: Caller,
    /// Where images may come from.
    pub(crate) images: &'a ImageHosts,
}

/// Judges the value WordPress would hand to an argument's validate callback. It is never null: null counts
/// as absent.
pub(crate) fn judge_value(rule: Rule, value: &Value, premises: Premises<'_>) -> Verdict {
    match rule {
        Rule::Anything => Verdict::Admit,
        Rule::PositiveInt => verdict(is_positive_int(value)),
        Rule::PositiveIntList => all(&elements(value), |element| verdict(is_positive_int(element))),
        Rule::NonEmptyString => verdict(is_text(value) && !value.is_empty()),
        Rule::StringOrEmpty => verdict(is_text(value) || value.is_empty()),
        Rule::Time => time(value),
        Rule::TimezoneOrEmpty => text_or_empty(value, timezone_or_empty),
        Rule::UrlOrEmpty => text_or_empty(value, url_or_empty),
        Rule::ImageOrEmpty if value.is_empty() => Verdict::Admit,
        Rule::Image | Rule::ImageOrEmpty => image(value, premises),
        Rule::UserId | Rule::VenueId => numeric_id(value),
        Rule::OrganizerId => organizer(value),
        Rule::EventId => event(value),
        Rule::VenueIdList => all(&elements(value), numeric_id),
        Rule::OrganizerIdList => all(&elements(value), organizer),
        Rule::TermList(_) => all(&elements(value), term),
        Rule::EventSlug | Rule::VenueSlug | Rule::OrganizerSlug => slug(value),
        Rule::PostStatus => statuses::judge_written(value),
        Rule::StatusFilter => statuses::judge_filter(value, premises.caller),
        Rule::Ticketed => ticketed(value),
        Rule::VenueEntry => judge_entry(Kind::Venue, value, premises),
        Rule::OrganizerEntry => judge_entry(Kind::Organizer, value, premises),
    }
}

fn verdict(admitted: bool) -> Verdict {
    if admitted { Verdict::Admit } else { Verdict::Reject }
}

fn is_text(value: &Value) -> bool {
    matches!(value, Value::String(_))
}

/// Numbers pass unread; text goes to PHP's date reader.
fn time(value: &Value) -> Verdict {
    match value {
        Value::Number(_) => Verdict::Admit,
        Value::String(text) => datetime::time(text),
        Value::Null | Value::Bool(_) | Value::Array(_) => Verdict::Reject,
    }
}

fn text_or_empty(value: &Value, judge: fn(&[u8]) -> Verdict) -> Verdict {
    match value {
        _ if value.is_empty() => Verdict::Admit,
        Value::String(text) => judge(text),
        _ => Verdict::Reject,
    }
}

/// An attachment by number, or a URL the origin asks for with HEAD, for callers who may upload: it must not be
/// sent to hosts that a client makes up (T-17).
fn image(value: &Value, premises: Premises<'_>) -> Verdict {
    if is_numeric_value(value) {
        return positive_id(value);
    }
    let is_fetched = value
        .as_text()
        .is_some_and(|text| is_web(text) && premises.images.hold(text));
    match premises.caller {
        Caller::Credentialed if is_fetched => Verdict::Defer(Why::Fetch),
        Caller::Credentialed | Caller::Anonymous => Verdict::Reject,
    }
}

fn numeric_id(value: &Value) -> Verdict {
    if is_numeric_value(value) {
        positive_id(value)
    } else {
        Verdict::Reject
    }
}

/// A number that may be a record's; zero, negative numbers and those PHP cuts to its largest never are.
pub(super) fn positive_id(value: &Value) -> Verdict {
    if (1..i64::MAX).contains(&to_int(value)) {
        IN_DATABASE
    } else {
        Verdict::Reject
    }
}

/// PHP's `(int)` of a scalar.
fn to_int(value: &Value) -> i64 {
    match value {
        Value::String(text) => int_prefix(text),
        Value::Number(number) => number
            .as_int()
            .unwrap_or_else(|| int_prefix(number.as_str().as_bytes())),
        Value::Bool(flag) => i64::from(*flag),
        Value::Null | Value::Array(_) => 0,
    }
}

/// The plugin looks at each number of an inner list too.
fn organizer(value: &Value) -> Verdict {
    match value {
        Value::Array(inner) if inner.is_empty() => Verdict::Reject,
        Value::Array(inner) => super::lists::every(inner.values().map(numeric_id)),
        scalar => numeric_id(scalar),
    }
}

/// The plugin casts whatever is not empty: `29abc` is 29 here, and fails by its type later. Arrays and `true`
/// become 1, which a site's first post has.
fn event(value: &Value) -> Verdict {
    match value {
        Value::String(_) | Value::Number(_) => positive_id(value),
        Value::Null | Value::Bool(_) | Value::Array(_) => Verdict::Reject,
    }
}

/// A term by id, slug or name. Zero and nothing are no term; an array inside the list crashes PHP.
fn term(value: &Value) -> Verdict {
    let refused = match value {
        Value::Array(_) | Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.trim_ascii().is_empty() || is_int_zero(text),
        Value::Number(number) => number.as_int() == Some(0),
        Value::Bool(true) => false,
    };
    if refused { Verdict::Reject } else { IN_DATABASE }
}

fn is_int_zero(text: &[u8]) -> bool {
    use crate::value::numeric::{Numeric, numeric};
    matches!(numeric(text), Some(Numeric::Int(0)))
}

/// Looked up by the plugin; arrays crash it.
fn slug(value: &Value) -> Verdict {
    match value {
        Value::String(text) if !value.is_empty() && !text.is_empty() => IN_DATABASE,
        Value::Number(_) if !value.is_empty() => IN_DATABASE,
        Value::Bool(true) => IN_DATABASE,
        _ => Verdict::Reject,
    }
}

/// Refused for truthy values unless Event Tickets is active.
fn ticketed(value: &Value) -> Verdict {
    const TRUTHY: [&[u8]; 7] = [b"1", b"enable", b"enabled", b"on", b"y", b"yes", b"true"];
    let truthy = match value {
        Value::String(text) => TRUTHY.contains(&text.to_ascii_lowercase().as_slice()),
        other => !other.is_empty(),
    };
    if truthy {
        Verdict::Defer(Why::Plugin)
    } else {
        Verdict::Admit
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Taxonomy;
    use crate::payload::{PHP_DEPTH, parse_json};
    use proptest::prelude::*;

    const YES: Verdict = Verdict::Admit;
    const NO: Verdict = Verdict::Reject;
    const ASK: Verdict = IN_DATABASE;
    const PLUGIN: Verdict = Verdict::Defer(Why::Plugin);

    /// Values with what the plugin's callback says of them (backend.md sections 5 and 7).
    const VERDICTS: [(Rule, &[(&str, Verdict)]); 14] = [
        (
            Rule::NonEmptyString,
            &[
                ("\"x\"", YES),
                ("\" \"", YES),
                ("\"0\"", NO),
                ("\"\"", NO),
                ("5", NO),
            ],
        ),
        (
            Rule::StringOrEmpty,
            &[
                ("\"\"", YES),
                ("0", YES),
                ("false", YES),
                ("[]", YES),
                ("5", NO),
                ("true", NO),
            ],
        ),
        (
            Rule::PositiveIntList,
            &[
                ("\"29, 30\"", YES),
                ("[29,\"\"]", YES),
                ("\"29.5\"", NO),
                ("\",\"", NO),
                ("[[29]]", NO),
            ],
        ),
        (
            Rule::EventId,
            &[
                ("\"29abc\"", ASK),
                ("2.9e1", ASK),
                ("0", NO),
                ("\"-1\"", NO),
                ("[29]", NO),
                ("true", NO),
            ],
        ),
        (
            Rule::VenueId,
            &[
                ("\"7.5\"", ASK),
                ("\"7abc\"", NO),
                ("\"99999999999999999999\"", NO),
            ],
        ),
        (
            Rule::VenueIdList,
            &[
                ("\"7, 8\"", ASK),
                ("\"7,grand-hall\"", NO),
                ("\"7,0\"", NO),
                ("[[7]]", NO),
            ],
        ),
        (
            Rule::OrganizerIdList,
            &[("[[15]]", ASK), ("[[\"x\"]]", NO), ("[[]]", NO)],
        ),
        (
            Rule::TermList(Taxonomy::Tag),
            &[
                ("\"music,3\"", ASK),
                ("\"2.5\"", ASK),
                ("-2", ASK),
                ("0", NO),
                ("\"2,0\"", NO),
                ("[\" \"]", NO),
                ("[[2]]", NO),
            ],
        ),
        (
            Rule::VenueSlug,
            &[("\"grand-hall\"", ASK), ("\"0\"", NO), ("[\"x\"]", NO)],
        ),
        (
            Rule::PostStatus,
            &[
                ("\"draft\"", YES),
                ("true", YES),
                ("\"sold-out\"", PLUGIN),
                ("\"any\"", NO),
                ("\"PUBLISH\"", NO),
                ("[\"draft\"]", NO),
            ],
        ),
        (
            Rule::Ticketed,
            &[
                ("\"false\"", YES),
                ("\"maybe\"", YES),
                ("\"YES\"", PLUGIN),
                ("1", PLUGIN),
                ("0", YES),
            ],
        ),
        (
            Rule::VenueEntry,
            &[
                ("null", YES),
                ("[0,\"\"]", YES),
                ("7", ASK),
                ("\"7,x\"", NO),
                ("{\"id\":7}", ASK),
                ("{\"id\":\"7abc\"}", ASK),
                ("[{\"id\":\" 7.5\"},8]", ASK),
                ("{\"id\":\"abc\"}", NO),
                ("{\"id\":[7]}", NO),
                ("{\"id\":true}", NO),
                ("{\"city\":\"x\"}", NO),
                ("{\"venue\":\"Hall\"}", YES),
                ("{\"venue\":\"Hall\",\"website\":\"x\"}", NO),
                ("[[7]]", NO),
            ],
        ),
        (
            Rule::OrganizerEntry,
            &[
                ("[15,{\"organizer\":\"New\"}]", ASK),
                ("{\"organizer\":\"\"}", YES),
                ("\"15abc\"", NO),
                ("-15", NO),
            ],
        ),
        (
            Rule::UrlOrEmpty,
            &[
                ("\"https://x.example/\"", YES),
                ("0", YES),
                ("5", NO),
                ("{\"a\":1}", NO),
            ],
        ),
    ];

    fn judged(rule: Rule, json: &str, caller: Caller) -> Verdict {
        let value = parse_json(json.as_bytes(), PHP_DEPTH).expect("JSON");
        let images = &ImageHosts::default();
        judge_value(rule, &value, Premises { caller, images })
    }

    #[test]
    fn says_what_the_plugin_says() {
        for (rule, values) in VERDICTS {
            for (json, expected) in values {
                assert_eq!(
                    judged(rule, json, Caller::Credentialed),
                    *expected,
                    "{rule:?} {json}"
                );
            }
        }
    }

    #[test]
    fn lets_anonymous_callers_see_published_records_only() {
        let rows = [
            ("\"publish\"", YES, YES),
            ("\"publish,\"", YES, YES),
            ("[\"publish\"]", YES, YES),
            ("\"draft\"", NO, ASK),
            ("\"\"", NO, ASK),
            ("\"publish,publish\"", NO, ASK),
            ("\"sold-out\"", NO, PLUGIN),
            ("\"any\"", NO, NO),
            ("\" publish\"", NO, NO),
        ];
        for (json, anonymous, credentialed) in rows {
            assert_eq!(
                judged(Rule::StatusFilter, json, Caller::Anonymous),
                anonymous,
                "{json}"
            );
            assert_eq!(
                judged(Rule::StatusFilter, json, Caller::Credentialed),
                credentialed,
                "{json}"
            );
        }
    }

    proptest! {
        #[test]
        fn takes_any_value(json in "[\\[\\]{}\",:0-9a-z. -]{0,30}", rule in 0usize..25) {
            let rules = crate::contract::table().operations().iter().flat_map(|operation| &operation.arguments);
            let rules: Vec<Rule> = rules.map(|argument| argument.rule).collect();
            if let Ok(value) = parse_json(json.as_bytes(), PHP_DEPTH) {
                let premises = Premises { caller: Caller::Anonymous, images: &ImageHosts::default() };
                let _ = judge_value(rules[rule * 7 % rules.len()], &value, premises);
            }
        }
    }
}
