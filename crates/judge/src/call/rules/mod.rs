//! The backend's validate callbacks, one arm each (backend.md section 5).
//!
//! Each arm returns the verdict of the plugin's own check for every value that can be judged without the
//! origin's database, plugins, PHP build or network. All other values are deferred.

mod images;
mod judge_context;
mod list;
mod record;
mod scalar;
mod statuses;

pub(super) use images::is_hosted;
pub use judge_context::JudgeContext;
pub use list::elements;
pub(super) use list::split_at_commas;
pub(super) use record::{created, is_record, members};

use list::all;

use crate::contract::{Kind, Rule};
use crate::wordpress::value::integer::is_positive_int;
use crate::wordpress::value::timezone::timezone_or_empty;
use crate::wordpress::value::url_filter::url_or_empty;
use crate::wordpress::value::{Value, Verdict};

/// Judges the value that WordPress would pass to an argument's validate callback. It is never null: null
/// counts as absent.
pub fn judge_value(rule: Rule, value: &Value, judge_context: JudgeContext<'_>) -> Verdict {
    // The members of a record that the plugin would create have rules of their own.
    let member = |rule: Rule, value: &Value| judge_value(rule, value, judge_context);
    match rule {
        Rule::Anything => Verdict::Admit,
        Rule::PositiveInt => Verdict::of(is_positive_int(value)),
        Rule::PositiveIntList => all(&elements(value), |element| Verdict::of(is_positive_int(element))),
        Rule::NonEmptyString => Verdict::of(value.as_text().is_some() && !value.is_empty()),
        Rule::StringOrEmpty => Verdict::of(value.as_text().is_some() || value.is_empty()),
        Rule::Time => scalar::time(value),
        Rule::TimezoneOrEmpty => scalar::text_or_empty(value, timezone_or_empty),
        Rule::UrlOrEmpty => scalar::text_or_empty(value, url_or_empty),
        Rule::ImageOrEmpty if value.is_empty() => Verdict::Admit,
        Rule::Image | Rule::ImageOrEmpty => scalar::image(value, judge_context),
        Rule::UserId | Rule::VenueId => scalar::numeric_id(value),
        Rule::OrganizerId => list::numeric_ids(value),
        Rule::EventId => scalar::record_id(value),
        Rule::EventNumber => scalar::event_number(value, judge_context.event_ids),
        Rule::VenueIdList => all(&elements(value), scalar::numeric_id),
        Rule::OrganizerIdList => all(&elements(value), list::numeric_ids),
        Rule::TermList => all(&elements(value), scalar::term),
        Rule::EventSlug | Rule::VenueSlug | Rule::OrganizerSlug => scalar::slug(value),
        Rule::PostStatus => statuses::judge_written(value),
        Rule::StatusFilter => statuses::judge_filter(value, judge_context.caller),
        Rule::Ticketed => scalar::ticketed(value),
        Rule::VenueEntry => record::judge_entry(Kind::Venue, value, &member),
        Rule::OrganizerEntry => record::judge_entry(Kind::Organizer, value, &member),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::credentials::Caller;
    use crate::wordpress::payload::{PHP_DEPTH, parse_json};
    use crate::wordpress::value::Why;
    use proptest::prelude::*;

    const YES: Verdict = Verdict::Admit;
    const NO: Verdict = Verdict::Reject;
    const ASK: Verdict = Verdict::Defer(Why::Database);
    const PLUGIN: Verdict = Verdict::Defer(Why::Plugin);

    /// Values with the verdict of the plugin's callback (backend.md sections 5 and 7).
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
            Rule::TermList,
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
        let judge_context = JudgeContext {
            caller,
            images: &[],
            event_ids: None,
        };
        judge_value(rule, &value, judge_context)
    }

    #[test]
    fn gives_the_verdicts_of_the_plugin() {
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
                let judge_context = JudgeContext {
                    caller: Caller::Anonymous,
                    images: &[],
                    event_ids: None,
                };
                let _ = judge_value(rules[rule * 7 % rules.len()], &value, judge_context);
            }
        }
    }
}
