//! Differences planted in responses, to show what a comparison of two calendars finds.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use bytes::Bytes;
use http::StatusCode;
use serde_json::{Map, Value as Json, json};

use crate::site_response::{EncodedResponse, SiteResponse};
use calendar_edge_judge::problem::{Layout, to_php_json};

/// What is planted in each response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Planted {
    /// Nothing.
    #[default]
    Nothing,
    /// Records count how often they were read, as some plugins do.
    Noise,
    /// A service that is nearly right: authors are numbers, records begin with another member, the names of cities are in
    /// capitals, and records count their readers anew. A request for `/break` makes it fail until the next one.
    Differences,
}

/// The member that counts readers.
const VIEWS: &str = "views";

/// The readers that the nearly right service had before.
const OTHER_VIEWS: u64 = 1_000_000;

/// Counts responses, so that no two of them are spelled alike.
#[derive(Debug, Default)]
pub(super) struct Planter {
    planted: Planted,
    responses: AtomicU64,
    is_broken: AtomicBool,
}

/// The path that breaks a nearly right service, and repairs it.
pub(super) const BREAK: &str = "/break";

// === impl Planter ===

impl Planter {
    pub(super) fn new(planted: Planted) -> Self {
        Self {
            planted,
            responses: AtomicU64::default(),
            is_broken: AtomicBool::default(),
        }
    }

    /// The response of a service that fails, or that is asked to fail from now on or no longer.
    pub(super) fn break_off(&self, path: &str) -> Option<SiteResponse> {
        if self.planted != Planted::Differences {
            return None;
        }
        if path == BREAK {
            let was_broken = self.is_broken.fetch_xor(true, Ordering::SeqCst);
            return Some(SiteResponse::ok(json!({"broken": !was_broken})));
        }
        let is_broken = self.is_broken.load(Ordering::SeqCst);
        is_broken.then(|| SiteResponse {
            status: StatusCode::INTERNAL_SERVER_ERROR,
            ..SiteResponse::ok(json!({"error": "broken on request"}))
        })
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
                Planted::Differences => different(&name, value),
                Planted::Noise | Planted::Nothing => value,
            };
            (name, self.altered(value, count))
        });
        let mut altered: Vec<(String, Json)> = altered.collect();
        match self.planted {
            Planted::Differences if is_record => {
                altered.push((VIEWS.to_owned(), (OTHER_VIEWS + count).into()));
                altered.rotate_left(1);
            }
            Planted::Noise if is_record => altered.push((VIEWS.to_owned(), count.into())),
            Planted::Differences | Planted::Noise | Planted::Nothing => {}
        }
        altered.into_iter().collect()
    }
}

fn different(name: &str, value: Json) -> Json {
    match (name, value.as_str()) {
        ("author", Some(author)) => author.parse::<u64>().map_or(value, Json::from),
        ("city", Some(city)) => city.to_uppercase().into(),
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;

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
            json!({"id": 7, "author": "1", "city": "Lübeck", "image": {"id": 9, "url": "u"}}).to_string();
        let planter = Planter::new(Planted::Differences);
        let expected = r#"{"author":1,"city":"L\u00dcBECK","image":{"url":"u","views":1000000,"id":9},"views":1000000,"id":7}"#;
        assert_eq!(planted(&planter, &record), expected);
        assert_eq!(planted(&Planter::new(Planted::Nothing), &record), record);
    }

    #[test]
    fn a_service_fails_from_one_request_to_the_next() {
        let planter = Planter::new(Planted::Differences);
        let status = |path: &str| planter.break_off(path).map(|response| response.status.as_u16());
        assert_eq!(
            [status("/x"), status(BREAK), status("/x")],
            [None, Some(200), Some(500)]
        );
        assert_eq!([status(BREAK), status("/x")], [Some(200), None]);
        assert!(Planter::new(Planted::Noise).break_off(BREAK).is_none());
    }

    #[test]
    fn noise_is_never_twice_the_same() {
        let planter = Planter::new(Planted::Noise);
        let texts = [(); 2].map(|()| planted(&planter, r#"{"tags":[{"id":1}]}"#));
        assert_eq!(
            texts,
            [0, 1].map(|views| format!(r#"{{"tags":[{{"id":1,"views":{views}}}]}}"#))
        );
    }
}
