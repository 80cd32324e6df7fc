//! The additions of the strict profile to a schema, as an extension. The schema itself applies to every
//! profile.

use serde_json::{Value, json};

use calendar_edge_judge::contract::{StrictRule, strict};

/// The name of the extension; its value holds keywords of JSON Schema.
pub(super) const KEYWORD: &str = "x-strict";

/// The narrower bounds of the strict profile; `None` if JSON Schema has no keyword for them. The profile
/// refuses values that break these bounds, and may have further rules that no keyword can express.
pub(super) fn bounds(rule: StrictRule) -> Option<Value> {
    match rule {
        StrictRule::Whole { most } => Some(json!({"minimum": 1, "maximum": most})),
        StrictRule::Degrees { most } => Some(json!({"minimum": -i16::from(most), "maximum": most})),
        StrictRule::Ids | StrictRule::Terms => Some(json!({"maxItems": strict::LIST_ELEMENTS})),
        StrictRule::Word(words) => Some(json!({"enum": words})),
        StrictRule::WordInAnyCase(words) => Some(json!({"pattern": in_any_case(words)})),
        StrictRule::Text => Some(json!({"maxLength": strict::TEXT_CHARACTERS})),
        StrictRule::AbsoluteDate => Some(json!({
            "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}(:[0-9]{2})?)?$",
        })),
        // A slug is measured in bytes. The others have a form that their own schema describes.
        StrictRule::Flag
        | StrictRule::ReadableDate
        | StrictRule::Url
        | StrictRule::Image
        | StrictRule::Slug
        | StrictRule::InPath
        | StrictRule::LongText
        | StrictRule::Scalar => None,
    }
}

/// A pattern for words in upper or lower case: `^([aA][sS][cC])$`.
fn in_any_case(words: &[&str]) -> String {
    let either = |letter: char| format!("[{letter}{}]", letter.to_ascii_uppercase());
    let words: Vec<String> = words
        .iter()
        .map(|word| word.chars().map(either).collect())
        .collect();
    format!("^({})$", words.join("|"))
}
