//! A response before it is encoded, and the encodings a client may ask for (backend.md sections 10 to 12).

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use serde_json::{Map, Value as Json, json};

use super::rest_error::RestError;
use super::site_call::{items_of, text_of};
use calendar_edge_judge::problem::{Layout, to_php_json};
use calendar_edge_judge::wordpress::payload::{Parameters, Source};
use calendar_edge_judge::wordpress::value::Value;

/// A status, a document and the headers that belong to it.
#[derive(Debug)]
pub(super) struct SiteResponse {
    /// The HTTP status; an envelope hides it.
    pub(super) status: StatusCode,
    /// The document.
    pub(super) body: Json,
    /// Headers that an envelope takes in: `Allow`, `Location`, `X-TEC-…`.
    pub(super) headers: Vec<(&'static str, String)>,
}

/// The encoding that a client asks for.
#[derive(Debug, Clone, Default)]
pub(super) struct ResponseOptions {
    layout: Layout,
    enveloped: bool,
    callback: Option<String>,
    fields: Vec<String>,
}

/// An encoded response.
#[derive(Debug)]
pub(super) struct EncodedResponse {
    /// The HTTP status.
    pub(super) status: StatusCode,
    /// All headers but those of the connection.
    pub(super) headers: HeaderMap,
    /// The body.
    pub(super) body: Bytes,
}

// === impl SiteResponse ===

impl SiteResponse {
    /// A 200.
    pub(super) fn ok(body: Json) -> Self {
        Self {
            status: StatusCode::OK,
            body,
            headers: Vec::new(),
        }
    }

    /// A 201.
    pub(super) fn created(body: Json) -> Self {
        Self {
            status: StatusCode::CREATED,
            ..Self::ok(body)
        }
    }

    /// Adds a header.
    pub(super) fn with(mut self, name: &'static str, value: impl std::fmt::Display) -> Self {
        self.headers.push((name, value.to_string()));
        self
    }

    /// Encodes the response.
    pub(super) fn encode(self, options: &ResponseOptions) -> EncodedResponse {
        let body = if self.status.is_success() {
            options.select(self.body)
        } else {
            self.body
        };
        let (status, body, kept) = if options.enveloped {
            let inner = self
                .headers
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value.into()));
            let headers = map_or_list(inner.collect());
            let envelope = json!({"body": body, "status": self.status.as_u16(), "headers": headers});
            (StatusCode::OK, envelope, Vec::new())
        } else {
            (self.status, body, self.headers)
        };
        let mut bytes = to_php_json(&body, options.layout);
        if let Some(callback) = &options.callback {
            bytes = [b"/**/", callback.as_bytes(), b"(", &bytes, b")"].concat();
        }
        let headers = kept.into_iter().filter_map(|(name, value)| {
            let value = HeaderValue::from_str(&value).ok()?;
            Some((HeaderName::from_bytes(name.as_bytes()).ok()?, value))
        });
        EncodedResponse {
            status,
            headers: headers.collect(),
            body: bytes.into(),
        }
    }
}

impl From<RestError> for SiteResponse {
    fn from(error: RestError) -> Self {
        Self {
            status: error.status(),
            body: error.to_json(),
            headers: Vec::new(),
        }
    }
}

// === impl ResponseOptions ===

impl ResponseOptions {
    /// The options of the query; `_fields` counts in every source.
    pub(super) fn of(parameters: &Parameters) -> Self {
        let query = parameters.of(Source::Query);
        let asked = |name: &str| query.and_then(|query| query.get(name));
        let fields = parameters.get("_fields").map(|(_, value)| value);
        Self {
            layout: if asked("_pretty").is_some() {
                Layout::Pretty
            } else {
                Layout::Compact
            },
            enveloped: asked("_envelope").is_some(),
            callback: asked("_jsonp")
                .filter(|value| !value.is_empty())
                .and_then(text_of),
            fields: fields.map(field_names).unwrap_or_default(),
        }
    }

    /// The media type of the response.
    pub(super) fn media_type(&self) -> &'static str {
        match self.callback {
            Some(_) => "application/javascript; charset=UTF-8",
            None => "application/json; charset=UTF-8",
        }
    }

    /// Whether the value of `_jsonp` is not a valid function name.
    pub(super) fn has_bad_callback(&self) -> bool {
        let allowed = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.');
        self.callback
            .as_ref()
            .is_some_and(|name| !name.chars().all(allowed))
    }

    /// The same without `_jsonp`, for the error about it.
    pub(super) fn without_callback(&self) -> Self {
        Self {
            callback: None,
            ..self.clone()
        }
    }

    /// The members of a document that `_fields` selects.
    fn select(&self, body: Json) -> Json {
        let Json::Object(members) = body else {
            return body;
        };
        if self.fields.is_empty() {
            return Json::Object(members);
        }
        let paths: Vec<Vec<&str>> = self
            .fields
            .iter()
            .map(|field| field.split('.').collect())
            .collect();
        let mut kept = pick(&members, &paths);
        for list in ["categories", "tags"] {
            // Lists of terms are made by a controller that trims its items by the same names.
            if members.contains_key("rest_url")
                && members.contains_key("total")
                && let Some(Json::Array(items)) = kept.get_mut(list)
            {
                for item in items {
                    self.trim_term(item);
                }
            }
        }
        map_or_list(kept)
    }

    fn trim_term(&self, item: &mut Json) {
        if let Json::Object(members) = item {
            let named = |name: &str| self.fields.iter().any(|field| field == name);
            members.retain(|name, _| matches!(name.as_str(), "id" | "urls") || named(name));
        }
    }
}

fn field_names(value: &Value) -> Vec<String> {
    let names = items_of(value);
    let names = names.iter().flat_map(|name| name.split_ascii_whitespace());
    names.map(str::to_owned).collect()
}

/// The named members in the document's own order; a path leads through objects, not through lists.
fn pick(members: &Map<String, Json>, paths: &[Vec<&str>]) -> Map<String, Json> {
    let mut kept = Map::new();
    for (name, value) in members {
        let below: Vec<Vec<&str>> = paths
            .iter()
            .filter_map(|path| path.split_first())
            .filter(|(first, _)| *first == name)
            .map(|(_, rest)| rest.to_vec())
            .collect();
        if below.iter().any(Vec::is_empty) {
            kept.insert(name.clone(), value.clone());
        } else if let (false, Json::Object(inner)) = (below.is_empty(), value) {
            let inner = pick(inner, &below);
            if !inner.is_empty() {
                kept.insert(name.clone(), Json::Object(inner));
            }
        }
    }
    kept
}

/// A PHP map: `[]` when it has no member, because PHP can't tell an empty map from an empty list.
pub(super) fn map_or_list(members: Map<String, Json>) -> Json {
    if members.is_empty() {
        return json!([]);
    }
    Json::Object(members)
}

#[cfg(test)]
mod tests {
    use super::*;
    use calendar_edge_judge::wordpress::payload::parse_form;

    fn options(query: &str) -> ResponseOptions {
        let mut parameters = Parameters::default();
        parameters.add(Source::Query, parse_form(query.as_bytes()));
        ResponseOptions::of(&parameters)
    }

    fn text(query: &str, response: SiteResponse) -> String {
        String::from_utf8(response.encode(&options(query)).body.to_vec()).expect("UTF-8")
    }

    #[test]
    fn selects_members_in_the_documents_order() {
        let document = json!({"id": 7, "venue": {"id": 1, "slug": "x"}, "list": [{"id": 2}]});
        let cases = [
            ("_fields=venue,id", r#"{"id":7,"venue":{"id":1,"slug":"x"}}"#),
            ("_fields=venue.id", r#"{"venue":{"id":1}}"#),
            ("_fields[]=id&_fields[]=nope", r#"{"id":7}"#),
            ("_fields=list.id", "[]"),
            (
                "_fields=",
                r#"{"id":7,"venue":{"id":1,"slug":"x"},"list":[{"id":2}]}"#,
            ),
        ];
        for (query, expected) in cases {
            assert_eq!(
                text(query, SiteResponse::ok(document.clone())),
                expected,
                "{query}"
            );
        }
    }

    #[test]
    fn an_envelope_takes_status_and_headers_in() {
        let response = SiteResponse::ok(json!({"id": 1})).with("Allow", "GET");
        let expected = r#"{"body":{"id":1},"status":200,"headers":{"Allow":"GET"}}"#;
        assert_eq!(text("_envelope=0", response), expected);
        let error = SiteResponse::from(RestError::NotAllowed);
        assert!(text("_envelope&_fields=code", error).ends_with(r#""status":403,"headers":[]}"#));
    }

    #[test]
    fn wraps_in_a_callback_and_knows_bad_ones() {
        assert_eq!(
            text("_jsonp=a.b", SiteResponse::ok(json!({"id": 1}))),
            r#"/**/a.b({"id":1})"#
        );
        assert!(options("_jsonp=a-b").has_bad_callback());
        assert!(!options("_jsonp=").has_bad_callback());
    }
}
