//! Differences planted in responses, to show what a comparison of two calendars finds.

use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use serde_json::{Map, Value as Json};

use crate::site_response::EncodedResponse;
use calendar_edge_core::problem::{Layout, to_php_json};

/// What is planted in each response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Planted {
    /// Nothing.
    #[default]
    Nothing,
    /// E-mail addresses are spelled in another way each time, as WordPress hides them from robots.
    Noise,
    /// A service that is nearly right: authors are numbers, records begin with another member, and telephone numbers
    /// lose their blanks.
    Differences,
}

/// Counts responses, so that no two of them are spelled alike.
#[derive(Debug, Default)]
pub(super) struct Planter {
    planted: Planted,
    responses: AtomicU64,
}

// === impl Planter ===

impl Planter {
    pub(super) fn new(planted: Planted) -> Self {
        Self {
            planted,
            responses: AtomicU64::default(),
        }
    }

    /// The response with what is planted in it. Bodies that are no JSON stay.
    pub(super) fn plant(&self, mut response: EncodedResponse) -> EncodedResponse {
        if self.planted == Planted::Nothing || !response.status.is_success() {
            return response;
        }
        if let Ok(document) = serde_json::from_slice(&response.body) {
            let count = self.responses.fetch_add(1, Ordering::Relaxed);
            response.body = Bytes::from(to_php_json(&self.altered(document, count), Layout::Compact));
        }
        response
    }

    fn altered(&self, value: Json, count: u64) -> Json {
        match value {
            Json::Array(items) => items.into_iter().map(|item| self.altered(item, count)).collect(),
            Json::Object(members) => Json::Object(self.altered_members(members, count)),
            plain => plain,
        }
    }

    fn altered_members(&self, members: Map<String, Json>, count: u64) -> Map<String, Json> {
        let is_record = members.contains_key("id");
        let altered = members.into_iter().map(|(name, value)| {
            let value = match self.planted {
                Planted::Noise => noisy(&name, value, count),
                Planted::Differences => different(&name, value),
                Planted::Nothing => value,
            };
            (name, self.altered(value, count))
        });
        let mut altered: Vec<(String, Json)> = altered.collect();
        if is_record && self.planted == Planted::Differences {
            altered.rotate_left(1);
        }
        altered.into_iter().collect()
    }
}

/// WordPress writes some letters of an address as HTML entities, chosen at random.
fn noisy(name: &str, value: Json, count: u64) -> Json {
    let Some(address) = value.as_str().filter(|_| name == "email") else {
        return value;
    };
    let letters = u64::try_from(address.chars().count()).unwrap_or(1).max(1);
    let hidden = count % letters;
    let spelled = (0..).zip(address.chars()).map(|(position, letter)| {
        if position == hidden {
            format!("&#{};", u32::from(letter))
        } else {
            letter.to_string()
        }
    });
    spelled.collect::<String>().into()
}

fn different(name: &str, value: Json) -> Json {
    match (name, value.as_str()) {
        ("author", Some(author)) => author.parse::<u64>().map_or(value, Json::from),
        ("phone", Some(phone)) => phone.replace(' ', "").into(),
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, StatusCode};
    use serde_json::json;

    use super::*;

    fn planted(planter: &Planter, body: &str) -> String {
        let response = planter.plant(EncodedResponse {
            status: StatusCode::OK,
            headers: HeaderMap::new(),
            body: Bytes::copy_from_slice(body.as_bytes()),
        });
        String::from_utf8(response.body.to_vec()).expect("text")
    }

    #[test]
    fn differences_of_each_class_are_planted() {
        let record =
            json!({"id": 7, "author": "1", "phone": "+49 451", "image": {"id": 9, "url": "u"}}).to_string();
        let planter = Planter::new(Planted::Differences);
        let expected = r#"{"author":1,"phone":"+49451","image":{"url":"u","id":9},"id":7}"#;
        assert_eq!(planted(&planter, &record), expected);
        assert_eq!(planted(&Planter::new(Planted::Nothing), &record), record);
    }

    #[test]
    fn noise_is_never_twice_the_same() {
        let planter = Planter::new(Planted::Noise);
        let body = r#"{"organizers":[{"id":1,"email":"ab@c"}]}"#;
        let texts = [(); 3].map(|()| planted(&planter, body));
        assert_eq!(texts[0], r#"{"organizers":[{"id":1,"email":"&#97;b@c"}]}"#);
        assert_eq!(texts[1], r#"{"organizers":[{"id":1,"email":"a&#98;@c"}]}"#);
        assert_ne!(texts[1], texts[2]);
    }
}
