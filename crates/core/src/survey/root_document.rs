//! The document at a REST root: the name of the site, its zone, its namespaces.

use http::header::CONTENT_TYPE;
use serde_json::Value;

use super::responses::{SiteResponse, code};

/// Maximum number of namespaces that are read.
const MOST: usize = 200;

/// The document in the response of a root; the error names what it is instead.
pub(super) fn root_document(response: &SiteResponse) -> Result<Value, String> {
    let status = response.status.as_u16();
    let Some(json) = response.json() else {
        let found = response.header(&CONTENT_TYPE).unwrap_or("no content type");
        return Err(format!("status {status} with {found} instead of JSON"));
    };
    match status {
        200 if json.get("namespaces").is_some_and(Value::is_array) => Ok(json),
        200 => Err("JSON that lists no namespaces".to_owned()),
        _ => Err(format!("status {status}, {}", code(&json))),
    }
}

/// A member of a root that is text of the site.
pub(super) fn text<'a>(root: &'a Value, name: &str) -> Option<&'a str> {
    root.get(name)?.as_str().filter(|text| !text.is_empty())
}

/// The namespaces that a root lists.
pub(super) fn namespaces(root: &Value) -> Vec<&str> {
    let listed = root.get("namespaces").and_then(Value::as_array);
    let listed = listed.into_iter().flatten().filter_map(Value::as_str);
    listed.take(MOST).collect()
}

/// The time zone of a site: a name or an offset.
pub(super) fn zone(root: &Value) -> Option<String> {
    let named = text(root, "timezone_string").map(str::to_owned);
    named.or_else(|| offset(root.get("gmt_offset")?))
}

/// An offset from UTC in hours, which WordPress prints as a number or as text: `UTC+5:30`.
fn offset(value: &Value) -> Option<String> {
    let hours = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())?;
    let minutes = hours * 60.0;
    if !(-24.0 * 60.0..=24.0 * 60.0).contains(&minutes) {
        return None;
    }
    let sign = if minutes < 0.0 { '-' } else { '+' };
    let (whole, rest) = ((minutes.abs() / 60.0).trunc(), (minutes.abs() % 60.0).round());
    Some(match (whole, rest) {
        (0.0, 0.0) => "UTC".to_owned(),
        (whole, 0.0) => format!("UTC{sign}{whole}"),
        (whole, rest) => format!("UTC{sign}{whole}:{rest:02}"),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn zones_are_names_or_offsets() {
        for (document, expected) in [
            (
                json!({"timezone_string": "Europe/Berlin", "gmt_offset": "1"}),
                Some("Europe/Berlin"),
            ),
            (
                json!({"timezone_string": "", "gmt_offset": 5.5}),
                Some("UTC+5:30"),
            ),
            (json!({"gmt_offset": "-3.5"}), Some("UTC-3:30")),
            (json!({"gmt_offset": 0}), Some("UTC")),
            (json!({"gmt_offset": "2"}), Some("UTC+2")),
            (json!({"gmt_offset": 1e300}), None),
            (json!({"gmt_offset": []}), None),
            (json!({}), None),
        ] {
            assert_eq!(zone(&document).as_deref(), expected, "{document}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_document_is_read_or_not(text in "[\\[\\]{}\":,a-z0-9_. -]{0,80}", offset in -1e9_f64..1e9) {
            if let Ok(json) = serde_json::from_str::<Value>(&text) {
                let _ = (namespaces(&json), zone(&json));
            }
            let _ = zone(&json!({"namespaces": [text], "gmt_offset": offset}));
        }
    }
}
