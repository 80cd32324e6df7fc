//! The body of an update that resets nothing: what the client sent, and what the record has.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::carried::{Carried, CarriedWhen, MemberShape, carried_by};
use super::record::ReadRecord;
use crate::contract::Kind;

/// Adds to the canonical body of an update what it would reset. Members that were sent stay as they are, byte for byte.
///
/// The added values are the record's own, in the spelling of the arguments. `None` if the client's document is not an
/// object, or the record has no status, which the update would reset.
pub fn merged_body(kind: Kind, sent: Option<&[u8]>, record: &ReadRecord) -> Option<Bytes> {
    let body = sent.unwrap_or(b"{}").trim_ascii();
    let names = sent_names(body)?;
    record.text("status")?;
    let mut merged = body.strip_suffix(b"}")?.to_vec();
    let mut separator = if names.is_empty() { "" } else { "," };
    for carried in carried_by(kind).iter().filter(|carried| carried.is_due(&names)) {
        if let Some(value) = carried.value(record) {
            let member = format!("{separator}\"{}\":{value}", carried.name);
            merged.extend_from_slice(member.as_bytes());
            separator = ",";
        }
    }
    merged.push(b'}');
    Some(merged.into())
}

/// The names of the members that a client sent; their values are forwarded as they are.
#[expect(clippy::zero_sized_map_values, reason = "the values are skipped")]
fn sent_names(body: &[u8]) -> Option<BTreeSet<String>> {
    let members: BTreeMap<String, IgnoredAny> = serde_json::from_slice(body).ok()?;
    Some(members.into_keys().collect())
}

// === impl Carried ===

impl Carried {
    /// Returns true if the argument is carried over beside these members.
    fn is_due(&self, sent: &BTreeSet<String>) -> bool {
        let has_one = |names: &[&str]| names.iter().any(|name| sent.contains(*name));
        !sent.contains(self.name)
            && match self.when {
                CarriedWhen::Always => true,
                CarriedWhen::Without(names) => !has_one(names),
                CarriedWhen::With(names) => has_one(names),
            }
    }

    /// The value of the argument that means the same as the record; `None` if the update resets to the same.
    fn value(&self, record: &ReadRecord) -> Option<Value> {
        let member = record.member(self.name)?;
        match self.form {
            MemberShape::Text => member.as_str().filter(|text| !text.is_empty()).map(Value::from),
            MemberShape::Flag => member.as_bool().map(Value::from),
            MemberShape::FlagAsText => member.as_bool().map(|flag| flag.to_string().into()),
            MemberShape::Image => Some(number(member)?.to_string().into()),
            MemberShape::Records => {
                let numbers: Vec<u64> = member.as_array()?.iter().filter_map(number).collect();
                (!numbers.is_empty()).then(|| json!(numbers))
            }
            MemberShape::Cost => cost(record).map(Value::from),
            MemberShape::Website => website(record).map(Value::from),
        }
    }
}

/// The number of a record inside another.
fn number(record: &Value) -> Option<u64> {
    record.get("id")?.as_u64().filter(|id| *id > 0)
}

/// The cost in words that the site reads as the same amounts: `cost` itself is for people, and `$1,250.50` would be read as
/// two amounts.
fn cost(record: &ReadRecord) -> Option<String> {
    let shown = record.text("cost").filter(|cost| !cost.is_empty())?;
    let Some(details) = record.member("cost_details") else {
        return Some(shown.to_owned());
    };
    let detail = |name: &str| details.get(name).and_then(Value::as_str).unwrap_or_default();
    let values = details.get("values").and_then(Value::as_array);
    let values: Vec<&str> = values.into_iter().flatten().filter_map(Value::as_str).collect();
    let symbol = detail("currency_symbol");
    Some(match values.as_slice() {
        [] => shown.to_owned(),
        [only] if detail("currency_position") == "postfix" => format!("{only}{symbol}"),
        [only] => format!("{symbol}{only}"),
        several => several.join(" - "),
    })
}

/// The website without entities. The site shows the address of an event that has none.
fn website(record: &ReadRecord) -> Option<String> {
    let shown = record.text("website").filter(|website| !website.is_empty())?;
    (record.text("url") != Some(shown)).then(|| without_entities(shown))
}

/// The text before `esc_html`.
fn without_entities(text: &str) -> String {
    let mut plain = text.to_owned();
    for (entity, character) in [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#039;", "'"),
        ("&#038;", "&"),
        // Last: what it makes is not an entity.
        ("&amp;", "&"),
    ] {
        plain = plain.replace(entity, character);
    }
    plain
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn record(members: &Value) -> ReadRecord {
        let mut whole = json!({"modified_utc": "2026-11-20 08:39:45", "status": "publish"});
        whole
            .as_object_mut()
            .unwrap()
            .extend(members.as_object().unwrap().clone());
        ReadRecord::read(whole.to_string().as_bytes()).unwrap()
    }

    fn merged(kind: Kind, sent: &str, members: &Value) -> Value {
        let body = merged_body(kind, Some(sent.as_bytes()), &record(members)).unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    #[test]
    fn what_an_update_resets_is_added_in_the_spelling_of_arguments() {
        let members = json!({
            "date": "2026-11-20 09:39:45", "timezone": "Europe/Copenhagen", "all_day": false, "url": "http://a.example/e/",
            "start_date": "2027-02-14 18:00:00", "end_date": "2027-02-14 21:00:00", "image": {"url": "u", "id": 5},
            "cost": "$12.50", "cost_details": {"currency_symbol": "$", "currency_position": "prefix", "values": ["12.50"]},
            "website": "https://m.example/?x=1&amp;y=2", "sticky": true, "featured": false, "title": "Old", "slug": "old",
            "organizer": [{"id": 16, "organizer": "J"}, {"id": 15}], "venue": {"id": 8}, "categories": [{"id": 3}],
        });
        let expected = json!({
            "title": "New", "date": "2026-11-20 09:39:45", "status": "publish", "timezone": "Europe/Copenhagen",
            "all_day": false, "image": "5", "cost": "$12.50", "website": "https://m.example/?x=1&y=2", "sticky": true,
            "featured": false, "organizer": [16, 15],
        });
        assert_eq!(merged(Kind::Event, r#"{"title":"New"}"#, &members), expected);
    }

    #[test]
    fn times_are_carried_together() {
        let members = json!({"start_date": "a", "end_date": "b", "timezone": "c", "all_day": true});
        let moved = merged(Kind::Event, r#"{"start_date":"x"}"#, &members);
        assert_eq!(
            moved,
            json!({"start_date": "x", "status": "publish", "timezone": "c", "all_day": true, "end_date": "b"})
        );
    }

    #[test]
    fn what_says_the_same_is_not_said_twice() {
        let sent = |sent: &str, kind, members: &Value| merged(kind, sent, members);
        let utc = sent(r#"{"date_utc":"x"}"#, Kind::Event, &json!({"date": "y"}));
        assert_eq!(utc, json!({"date_utc": "x", "status": "publish"}));
        let state = sent(
            r#"{"state":"x"}"#,
            Kind::Venue,
            &json!({"stateprovince": "y", "show_map": false}),
        );
        assert_eq!(
            state,
            json!({"state": "x", "status": "publish", "show_map": "false"})
        );
        // The address of the event itself is shown for an event without a website.
        let none = json!({"website": "http://a.example/e/", "url": "http://a.example/e/"});
        assert_eq!(sent("{}", Kind::Event, &none), json!({"status": "publish"}));
    }

    #[test]
    fn costs_are_written_as_the_site_reads_them() {
        for (symbol, position, values, shown, expected) in [
            ("", "", json!(["10"]), "$10", "10"),
            ("-", "prefix", json!(["5"]), "-5", "-5"),
            ("€", "postfix", json!(["5"]), "5€", "5€"),
            ("", "", json!([".56", "1234"]), "$.56", ".56 - 1234"),
            ("", "", json!(["free"]), "free", "free"),
        ] {
            let details = json!({"currency_symbol": symbol, "currency_position": position, "values": values});
            let record = record(&json!({"cost": shown, "cost_details": details}));
            assert_eq!(cost(&record).as_deref(), Some(expected));
        }
        assert_eq!(cost(&record(&json!({"cost": ""}))), None);
    }

    #[test]
    fn bodies_and_records_that_cannot_be_merged_are_refused() {
        for body in ["[]", "1", "", "{"] {
            let result = merged_body(Kind::Event, Some(body.as_bytes()), &record(&json!({})));
            assert_eq!(result, None, "{body}");
        }
        let bare = ReadRecord::read(br#"{"modified_utc":"2026-11-20 08:39:45"}"#).unwrap();
        assert_eq!(merged_body(Kind::Event, None, &bare), None);
    }

    fn value() -> impl Strategy<Value = Value> {
        prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<u32>().prop_map(Value::from),
            ".{0,8}".prop_map(Value::from),
            Just(json!([{"id": 3}, {"id": "x"}, 4])),
            Just(json!({"id": 7, "values": ["1"]})),
        ]
    }

    fn members() -> impl Strategy<Value = BTreeMap<String, Value>> {
        let names = carried_by(Kind::Event).iter().map(|carried| carried.name);
        let names: Vec<&str> = names.chain(["title", "cost_details", "modified"]).collect();
        prop::collection::btree_map(
            prop::sample::select(names).prop_map(str::to_owned),
            value(),
            0..12,
        )
    }

    proptest! {
        #[test]
        fn what_was_sent_stays_and_the_rest_is_one_object(sent in members(), of_record in members()) {
            let mut of_record = of_record;
            of_record.insert("status".to_owned(), json!("draft"));
            let sent_body = serde_json::to_string(&sent).unwrap();
            let body = merged_body(Kind::Event, Some(sent_body.as_bytes()), &record(&json!(of_record))).unwrap();
            let merged: BTreeMap<String, Value> = serde_json::from_slice(&body).unwrap();
            for (name, value) in &sent {
                prop_assert_eq!(merged.get(name), Some(value));
            }
            let known = |name: &String| sent.contains_key(name) || of_record.contains_key(name);
            prop_assert!(merged.keys().all(known));
            prop_assert!(merged.contains_key("status"));
        }
    }
}
