//! One string of a JSON document, found by its path while all other values are skipped.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Returns the first `limit` bytes of the string at a path of member names.
///
/// If several members have the same name, the last one counts. `None` if the document is malformed, if other
/// bytes follow it, or if the path leads to another kind of value.
pub(super) fn text_at(document: &[u8], path: &[&str], limit: usize) -> Option<String> {
    let mut reader = serde_json::Deserializer::from_slice(document);
    let text = Member { path, limit }.deserialize(&mut reader).ok()?;
    reader.end().ok()?;
    text
}

/// The position of a string, relative to the value that is being read.
#[derive(Clone, Copy)]
struct Member<'p> {
    path: &'p [&'p str],
    limit: usize,
}

// === impl Member ===

impl<'de> DeserializeSeed<'de> for Member<'_> {
    type Value = Option<String>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<String>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Member<'_> {
    type Value = Option<String>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any value")
    }

    fn visit_str<E>(self, text: &str) -> Result<Option<String>, E> {
        let end = text.floor_char_boundary(self.limit);
        let beginning = text.get(..end).unwrap_or_default();
        Ok(self.path.is_empty().then(|| beginning.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Option<String>, A::Error> {
        let mut found = None;
        while let Some(name) = members.next_key::<String>()? {
            match self.path {
                [first, rest @ ..] if *first == name => {
                    let member = Member { path: rest, ..self };
                    found = members.next_value_seed(member)?;
                }
                _ => {
                    members.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(found)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Option<String>, A::Error> {
        while elements.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Option<String>, E> {
        Ok(None)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Option<String>, E> {
        Ok(None)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Option<String>, E> {
        Ok(None)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Option<String>, E> {
        Ok(None)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Option<String>, E> {
        Ok(None)
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
