//! A response before it is encoded, and the encoding that a client requests.

use http::StatusCode;
use serde_json::{Value, json};

/// A response before it is encoded.
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) body: Value,
    /// The numbers of records and pages of a list.
    pub(crate) counts: Option<(usize, usize)>,
}

// === impl Reply ===

impl Reply {
    pub(crate) fn ok(body: Value) -> Self {
        Self {
            status: StatusCode::OK,
            body,
            counts: None,
        }
    }
}

/// The encoding that a client requests in its query: `_pretty` and `_fields`.
pub(crate) struct Encoding {
    pub(crate) is_pretty: bool,
    fields: Vec<String>,
}

// === impl Encoding ===

impl Encoding {
    pub(crate) fn of(query: Option<&str>) -> Self {
        let mut encoding = Self {
            is_pretty: false,
            fields: Vec::new(),
        };
        for (name, value) in url::form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
            match name.split('[').next() {
                Some("_pretty") => encoding.is_pretty = true,
                Some("_fields") => {
                    let fields = value.split(',').map(|field| field.trim().to_owned());
                    encoding.fields.extend(fields.filter(|field| !field.is_empty()));
                }
                _ => {}
            }
        }
        encoding
    }

    /// The requested members; of a path, `venue.id`, its first part.
    pub(crate) fn selected(&self, body: Value) -> Value {
        match body {
            Value::Object(mut members) if !self.fields.is_empty() => {
                let asked = |name: &str| {
                    let mut fields = self.fields.iter().map(|field| field.split('.').next());
                    fields.any(|field| field == Some(name))
                };
                members.retain(|name, _| asked(name));
                // PHP has one form for an empty map and an empty list.
                if members.is_empty() {
                    return json!([]);
                }
                members.into()
            }
            body => body,
        }
    }
}
