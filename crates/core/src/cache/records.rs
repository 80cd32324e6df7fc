//! The tags of the records in a body, found by the table of their members.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::tag::Tag;
use calendar_edge_judge::contract::{Kind, RECORD_NUMBER};

/// The kind of a member at a place of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MemberKind {
    /// A record or a list of records; `[]`, `false` and `null` are none.
    Records(Kind),
    /// An image, or none.
    Image,
    /// The number of another record of this kind; 0 is none.
    Number(Kind),
}

/// The members of each kind of record that hold others (backend.md section 11).
const fn members(kind: Kind) -> &'static [(&'static str, MemberKind)] {
    const IMAGE: (&str, MemberKind) = ("image", MemberKind::Image);
    match kind {
        Kind::Event => &[
            IMAGE,
            ("venue", MemberKind::Records(Kind::Venue)),
            ("organizer", MemberKind::Records(Kind::Organizer)),
            ("categories", MemberKind::Records(Kind::Category)),
            ("tags", MemberKind::Records(Kind::Tag)),
        ],
        Kind::Venue | Kind::Organizer => &[IMAGE],
        Kind::Category => &[("parent", MemberKind::Number(Kind::Category))],
        Kind::Tag => &[],
    }
}

/// The tags of one record, and of those in it. `None` if the body is no such record.
pub(super) fn of_record(kind: Kind, body: &[u8]) -> Option<Vec<Tag>> {
    let mut tags = Vec::new();
    let place = BodyPlace {
        subject: MemberKind::Records(kind),
        tags: &mut tags,
    };
    read(place, body)?;
    Some(tags)
}

/// The tags of the records in the response to a list. `None` if the body is no such response.
pub(super) fn of_list(kind: Kind, body: &[u8]) -> Option<Vec<Tag>> {
    let mut tags = Vec::new();
    let answer = ListResponse {
        kind,
        tags: &mut tags,
    };
    read(answer, body)?;
    Some(tags)
}

fn read<'de>(seed: impl DeserializeSeed<'de, Value = ()>, body: &'de [u8]) -> Option<()> {
    let mut json = serde_json::Deserializer::from_slice(body);
    seed.deserialize(&mut json).ok()?;
    json.end().ok()
}

/// The response to a list: the records stand in a member with the name of the collection.
struct ListResponse<'t> {
    kind: Kind,
    tags: &'t mut Vec<Tag>,
}

/// A place in a body where records may stand.
struct BodyPlace<'t> {
    subject: MemberKind,
    tags: &'t mut Vec<Tag>,
}

/// Finds one of these names; any other is `None`.
struct NameIn<'n, T>(&'n [(&'static str, T)]);

// === impl ListResponse ===

impl<'de> DeserializeSeed<'de> for ListResponse<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for ListResponse<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of {}", self.kind.collection())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let names = [(self.kind.collection(), MemberKind::Records(self.kind))];
        let mut is_found = false;
        while let Some(name) = map.next_key_seed(NameIn(&names))? {
            let Some(subject) = name else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            is_found = true;
            let tags = &mut *self.tags;
            map.next_value_seed(BodyPlace { subject, tags })?;
        }
        is_found
            .then_some(())
            .ok_or_else(|| Error::missing_field("records"))
    }
}

// === impl BodyPlace ===

impl<'de> DeserializeSeed<'de> for BodyPlace<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl BodyPlace<'_> {
    /// Reads an object: its number, and the records in it.
    fn read_members<'de, A: MapAccess<'de>>(
        self,
        mut map: A,
        tag: impl Fn(u64) -> Tag,
        members: &[(&'static str, MemberKind)],
    ) -> Result<(), A::Error> {
        let mut is_named = false;
        // The number is a member like the others, without a record below it.
        let mut names: Vec<(&'static str, Option<MemberKind>)> = vec![(RECORD_NUMBER, None)];
        names.extend(members.iter().map(|(name, subject)| (*name, Some(*subject))));
        while let Some(name) = map.next_key_seed(NameIn(&names))? {
            match name {
                None => drop(map.next_value::<IgnoredAny>()?),
                Some(None) => {
                    is_named = true;
                    self.tags.push(tag(map.next_value()?));
                }
                Some(Some(subject)) => {
                    let tags = &mut *self.tags;
                    map.next_value_seed(BodyPlace { subject, tags })?;
                }
            }
        }
        is_named
            .then_some(())
            .ok_or_else(|| Error::missing_field(RECORD_NUMBER))
    }
}

impl<'de> Visitor<'de> for BodyPlace<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.subject)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        match self.subject {
            MemberKind::Records(kind) => {
                self.read_members(map, |number| Tag::Record(kind, number), members(kind))
            }
            MemberKind::Image => self.read_members(map, Tag::Image, &[]),
            MemberKind::Number(_) => Err(Error::custom("a number stands here")),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let (subject, tags) = (self.subject, self.tags);
        while list.next_element_seed(BodyPlace { subject, tags })?.is_some() {}
        Ok(())
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<(), E> {
        match self.subject {
            MemberKind::Number(_) if number == 0 => Ok(()),
            MemberKind::Number(kind) => {
                self.tags.push(Tag::Record(kind, number));
                Ok(())
            }
            MemberKind::Records(_) | MemberKind::Image => Err(Error::custom("a record stands here")),
        }
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }
}

// === impl NameIn ===

impl<'de, T: Copy> DeserializeSeed<'de> for NameIn<'_, T> {
    type Value = Option<T>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<T>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<T: Copy> Visitor<'_> for NameIn<'_, T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Option<T>, E> {
        let mut names = self.0.iter();
        Ok(names.find(|(name, _)| *name == text).map(|(_, value)| *value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(tags: Option<Vec<Tag>>) -> Option<String> {
        let names: Vec<String> = tags?.iter().map(ToString::to_string).collect();
        Some(names.join(" "))
    }

    #[test]
    fn records_are_found_where_the_table_says_and_nowhere_else() {
        let event = r#"{"id":56,"image":{"id":6,"sizes":{"medium":{"id":1}}},"venue":{"id":7,"image":{"id":8},
            "json_ld":{"id":2}},"organizer":[{"id":15},{"id":16}],"categories":[{"id":4,"parent":3},{"id":3,"parent":0}],
            "tags":[{"id":10,"count":8}],"author":"1","json_ld":{"organizer":{"id":99}}}"#;
        assert_eq!(
            shown(of_record(Kind::Event, event.as_bytes())).as_deref(),
            Some(
                "event:56 image:6 venue:7 image:8 organizer:15 organizer:16 category:4 category:3 category:3 tag:10"
            )
        );
        let list = r#"{"events":[{"id":1,"venue":[],"image":false},{"id":2,"venue":{"id":7}}],"total":2}"#;
        assert_eq!(
            shown(of_list(Kind::Event, list.as_bytes())).as_deref(),
            Some("event:1 event:2 venue:7")
        );
        assert_eq!(shown(of_list(Kind::Tag, br#"{"tags":[]}"#)).as_deref(), Some(""));
    }

    #[test]
    fn bodies_of_another_shape_have_no_tags() {
        for (kind, body) in [
            (Kind::Event, "{}"),
            (Kind::Event, "[1]"),
            (Kind::Event, r#"{"id":"56"}"#),
            (Kind::Event, r#"{"id":-1}"#),
            (Kind::Event, r#"{"id":1,"venue":{"venue":"x"}}"#),
            (Kind::Event, r#"{"id":1,"venue":7}"#),
            (Kind::Event, r#"{"id":1} x"#),
            (Kind::Event, r#"{"id":1"#),
        ] {
            assert_eq!(of_record(kind, body.as_bytes()), None, "{body}");
        }
        for body in ["{}", r#"{"total":1}"#, r#"{"events":1}"#, "[]"] {
            assert_eq!(of_list(Kind::Event, body.as_bytes()), None, "{body}");
        }
    }
}
