//! The tags of the records in a body, found by the table of their members.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::tag::Tag;
use calendar_edge_judge::contract::Kind;

/// The number of a record, and its members that hold others (backend.md section 11), as they are written.
#[derive(Deserialize)]
struct RecordMembers<'b> {
    id: u64,
    #[serde(borrow, default)]
    image: Option<&'b RawValue>,
    #[serde(borrow, default)]
    venue: Option<&'b RawValue>,
    #[serde(borrow, default)]
    organizer: Option<&'b RawValue>,
    #[serde(borrow, default)]
    categories: Option<&'b RawValue>,
    #[serde(borrow, default)]
    tags: Option<&'b RawValue>,
    #[serde(borrow, default)]
    parent: Option<&'b RawValue>,
}

/// The response to a list: the records stand in the member with the name of the collection.
#[derive(Deserialize)]
struct ListMembers<'b> {
    #[serde(borrow)]
    events: Option<Vec<RecordMembers<'b>>>,
    #[serde(borrow)]
    venues: Option<Vec<RecordMembers<'b>>>,
    #[serde(borrow)]
    organizers: Option<Vec<RecordMembers<'b>>>,
    #[serde(borrow)]
    categories: Option<Vec<RecordMembers<'b>>>,
    #[serde(borrow)]
    tags: Option<Vec<RecordMembers<'b>>>,
}

/// The tags of one record, and of those in it. `None` if the body is no such record.
pub(super) fn of_record(kind: Kind, body: &[u8]) -> Option<Vec<Tag>> {
    let mut tags = Vec::new();
    object::<RecordMembers<'_>>(std::str::from_utf8(body).ok()?)?.add_tags(kind, &mut tags)?;
    Some(tags)
}

/// The tags of the records in the response to a list. `None` if the body is no such response.
pub(super) fn of_list(kind: Kind, body: &[u8]) -> Option<Vec<Tag>> {
    let mut tags = Vec::new();
    let list: ListMembers<'_> = object(std::str::from_utf8(body).ok()?)?;
    let records = match kind {
        Kind::Event => list.events,
        Kind::Venue => list.venues,
        Kind::Organizer => list.organizers,
        Kind::Category => list.categories,
        Kind::Tag => list.tags,
    };
    for record in records? {
        record.add_tags(kind, &mut tags)?;
    }
    Some(tags)
}

// === impl RecordMembers ===

impl RecordMembers<'_> {
    fn add_tags(&self, kind: Kind, tags: &mut Vec<Tag>) -> Option<()> {
        tags.push(Tag::Record(kind, self.id));
        if matches!(kind, Kind::Event | Kind::Venue | Kind::Organizer) {
            let images = records(self.image)?.into_iter();
            tags.extend(images.map(|image| Tag::Image(image.id)));
        }
        let linked = match kind {
            Kind::Event => [
                (self.venue, Kind::Venue),
                (self.organizer, Kind::Organizer),
                (self.categories, Kind::Category),
                (self.tags, Kind::Tag),
            ],
            Kind::Category => return self.add_parent(tags),
            Kind::Venue | Kind::Organizer | Kind::Tag => return Some(()),
        };
        for (member, kind) in linked {
            for record in records(member)? {
                record.add_tags(kind, tags)?;
            }
        }
        Some(())
    }

    /// The number of a category; 0 is none.
    fn add_parent(&self, tags: &mut Vec<Tag>) -> Option<()> {
        match self.parent.map(RawValue::get) {
            None | Some("0" | "false") => {}
            Some(number) => tags.push(Tag::Record(Kind::Category, number.parse().ok()?)),
        }
        Some(())
    }
}

fn object<'b, T: Deserialize<'b>>(json: &'b str) -> Option<T> {
    let is_object = json.trim_start().starts_with('{');
    is_object.then(|| serde_json::from_str(json).ok())?
}

/// The records in a member: one, or a list of them; `[]`, `false` and `null` are none.
fn records(member: Option<&RawValue>) -> Option<Vec<RecordMembers<'_>>> {
    match member.map_or("false", RawValue::get) {
        "false" | "true" => Some(Vec::new()),
        list if list.starts_with('[') => serde_json::from_str(list).ok(),
        record => Some(vec![object(record)?]),
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
