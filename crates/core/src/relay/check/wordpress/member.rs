//! One string of a JSON document, found by its path while all other values are skipped.

use std::fmt;

use serde::de::{Deserializer as _, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Finds the last member of a name, without memory for the others.
struct NamedMember<'n>(&'n str);

/// Returns the first `limit` bytes of the string at a path of member names.
///
/// If several members have the same name, the last one counts. `None` if the document is malformed, if other
/// bytes follow it, or if the path leads to another kind of value.
pub(super) fn text_at(document: &[u8], path: &[&str], limit: usize) -> Option<String> {
    let mut value: &RawValue = serde_json::from_slice(document).ok()?;
    for name in path {
        let mut json = serde_json::Deserializer::from_str(value.get());
        value = json.deserialize_map(NamedMember(name)).ok()??;
    }
    let mut text: String = serde_json::from_str(value.get()).ok()?;
    text.truncate(text.floor_char_boundary(limit));
    text.shrink_to_fit();
    Some(text)
}

// === impl NamedMember ===

impl<'de> Visitor<'de> for NamedMember<'_> {
    type Value = Option<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object with {}", self.0)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(name) = members.next_key::<String>()? {
            if name == self.0 {
                found = Some(members.next_value()?);
            } else {
                members.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(document: &str, path: &[&str]) -> Option<String> {
        text_at(document.as_bytes(), path, 5)
    }

    #[test]
    fn finds_the_string_at_a_path() {
        let document = r#"{"x":[{"code":"no"}],"code":"a\u00e9","data":{"error":{"file":"f"},"n":1.5}}"#;
        assert_eq!(at(document, &["code"]).as_deref(), Some("aé"));
        assert_eq!(at(document, &["data", "error", "file"]).as_deref(), Some("f"));
        assert_eq!(at(document, &["data", "error", "line"]), None);
    }

    #[test]
    fn other_values_are_not_strings() {
        for value in ["null", "true", "-1", "1", "1.5", "[\"x\"]", "{\"b\":\"x\"}"] {
            assert_eq!(at(&format!("{{\"a\":{value}}}"), &["a"]), None, "{value}");
            let other = format!("{{\"a\":{value}}}");
            assert_eq!(at(&other, &["a", "c"]), None, "{value}");
        }
        assert_eq!(at("[]", &["a"]), None);
    }

    #[test]
    fn the_last_member_of_a_name_counts() {
        assert_eq!(at(r#"{"a":"x","a":"y"}"#, &["a"]).as_deref(), Some("y"));
        assert_eq!(at(r#"{"a":"x","a":1}"#, &["a"]), None);
    }

    #[test]
    fn long_strings_are_cut_between_characters() {
        assert_eq!(at(r#"{"a":"1234é"}"#, &["a"]).as_deref(), Some("1234"));
    }

    #[test]
    fn broken_documents_have_no_members() {
        for document in [r#"{"a":"x""#, r#"{"a":"x"}}"#, ""] {
            assert_eq!(at(document, &["a"]), None, "{document}");
        }
    }
}
