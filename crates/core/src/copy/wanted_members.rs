//! The members of a response that a client asked for, as WordPress's `rest_filter_response_fields` leaves them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use calendar_edge_judge::wordpress::value::Value;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::ask::Ask;
use super::composed::separate;

/// The wanted members by their names. None: the member is wanted whole.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(super) struct WantedMembers(BTreeMap<Box<[u8]>, Option<WantedMembers>>);

/// The keys of a PHP array as they are printed, and its values.
struct PrintedMembers<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

struct MembersVisitor;

/// The member that is an object in PHP: nothing within it is left out.
const OBJECT: &str = "json_ld";

/// The most names in a path: no response is deeper.
const DEEPEST: usize = 16;

// === impl WantedMembers ===

impl WantedMembers {
    /// Reads a value of `_fields`: names with commas or white space between them, or an array of names. None if it has no
    /// name, and everything is wanted.
    ///
    /// # Errors
    ///
    /// [`Ask::Value`] for a path of more than 16 names.
    pub(super) fn of(value: &Value) -> Result<Option<Self>, Ask> {
        let is_between = |byte: &u8| matches!(byte, b',' | b' ' | b'\t'..=b'\r');
        let listed = value.as_text().unwrap_or_default().split(is_between);
        let names: Vec<&[u8]> = match value {
            Value::Array(names) => names.values().filter_map(Value::as_text).collect(),
            _ => listed.filter(|name| !name.is_empty()).collect(),
        };
        let mut wanted = Self::default();
        for name in &names {
            let path: Vec<&[u8]> = trim(name).split(|byte| *byte == b'.').collect();
            if path.len() > DEEPEST {
                return Err(Ask::Value);
            }
            // WordPress leaves both of its loops.
            if !wanted.add(&path) {
                break;
            }
        }
        Ok((!names.is_empty()).then_some(wanted))
    }

    /// Adds a path. False if a member above it is wanted whole already.
    fn add(&mut self, path: &[&[u8]]) -> bool {
        match path {
            [] => true,
            [name] => {
                self.0.insert((*name).into(), None);
                true
            }
            [name, rest @ ..] => {
                let inner = self.0.entry((*name).into());
                let inner = inner.or_insert_with(|| Some(Self::default()));
                inner.as_mut().is_some_and(|inner| inner.add(rest))
            }
        }
    }

    /// Whether anything of a member is wanted.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name.as_bytes())
    }

    /// Whether every wanted member is wanted whole.
    pub(super) fn is_flat(&self) -> bool {
        self.0.values().all(Option::is_none)
    }

    /// Prints what is wanted of a PHP array that stands in JSON. What stays has the same bytes. An array whose keys count
    /// from zero is a list, an empty one as well.
    ///
    /// # Errors
    ///
    /// [`Ask::Printed`] if it is neither object nor list.
    pub(super) fn print(&self, array: &str, out: &mut Vec<u8>) -> Result<(), Ask> {
        let members: PrintedMembers<'_> = serde_json::from_str(array).map_err(|_| Ask::Printed)?;
        let wanted = members.0.iter().filter_map(|(key, value)| {
            let name = name(key);
            let inner = self.0.get(name.as_bytes())?;
            Some((key, name, inner, value.get()))
        });
        let wanted: Vec<_> = wanted.collect();
        let mut counted = wanted.iter().zip(0_usize..);
        let is_list = counted.all(|((_, name, ..), at)| **name == *at.to_string());
        let mut is_first = true;
        out.push(if is_list { b'[' } else { b'{' });
        for (key, name, inner, value) in wanted {
            separate(&mut is_first, out);
            if !is_list {
                out.extend_from_slice([key, ":"].concat().as_bytes());
            }
            match inner {
                Some(inner) if is_array(&name, value) => inner.print(value, out)?,
                _ => out.extend_from_slice(value.as_bytes()),
            }
        }
        out.push(if is_list { b']' } else { b'}' });
        Ok(())
    }
}

/// PHP's `trim`.
fn trim(mut name: &[u8]) -> &[u8] {
    while let [b' ' | b'\t' | b'\n' | b'\r' | b'\0' | b'\x0b', rest @ ..]
    | [rest @ .., b' ' | b'\t' | b'\n' | b'\r' | b'\0' | b'\x0b'] = name
    {
        name = rest;
    }
    name
}

/// The name that a key spells.
fn name(key: &str) -> Cow<'_, str> {
    match key.get(1..key.len() - 1) {
        Some(plain) if !plain.contains('\\') => Cow::Borrowed(plain),
        _ => Cow::Owned(serde_json::from_str(key).unwrap_or_default()),
    }
}

/// Whether a value is an array in PHP, which prints an empty one as a list.
fn is_array(name: &str, value: &str) -> bool {
    value.starts_with('[') || value.starts_with('{') && value != "{}" && name != OBJECT
}

// === impl PrintedMembers ===

impl<'de: 'a, 'a> Deserialize<'de> for PrintedMembers<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(MembersVisitor).map(Self)
    }
}

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Vec<(Cow<'de, str>, &'de RawValue)>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object or a list")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some((key, value)) = map.next_entry::<&RawValue, _>()? {
            members.push((Cow::Borrowed(key.get()), value));
        }
        Ok(members)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(value) = list.next_element()? {
            members.push((Cow::Owned(format!("\"{}\"", members.len())), value));
        }
        Ok(members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use calendar_edge_judge::wordpress::payload::parse_form;

    fn wanted(query: &str) -> Result<Option<WantedMembers>, Ask> {
        WantedMembers::of(parse_form(query.as_bytes()).get("_fields").unwrap())
    }

    #[test]
    fn wordpress_leaves_the_same_members() {
        let cases = include_str!("../../../../fixtures/fields/cases.tsv");
        for case in cases.lines() {
            let [query, body, expected] = case.split('\t').collect::<Vec<_>>().try_into().unwrap();
            let mut printed = Vec::new();
            match wanted(query).unwrap() {
                Some(members) => members.print(body, &mut printed).unwrap(),
                None => printed.extend_from_slice(body.as_bytes()),
            }
            assert_eq!(std::str::from_utf8(&printed).unwrap(), expected, "{query}");
        }
        assert_eq!(cases.lines().count(), 63);
    }

    #[test]
    fn what_is_no_array_and_what_is_too_deep_is_left_to_the_site() {
        let deep = |names: usize| wanted(&format!("_fields=a{}", ".b".repeat(names - 1)));
        assert!(deep(16).is_ok());
        assert_eq!(deep(17), Err(Ask::Value));
        let members = wanted("_fields=a").unwrap().unwrap();
        for body in ["", "7", "\"a\"", "{\"a\":1", "{\"a\":1}x"] {
            assert_eq!(members.print(body, &mut Vec::new()), Err(Ask::Printed), "{body}");
        }
    }
}
