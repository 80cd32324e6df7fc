//! `Vary`: the request headers that a response depends on (RFC 9110 section 12.5.5).

use http::header::VARY;
use http::{HeaderMap, HeaderValue};

/// Adds this request header to `Vary`, unless it is there already.
pub fn vary_by(headers: &mut HeaderMap, name: &'static str) {
    let fields = headers.get_all(VARY).iter();
    let names = fields
        .filter_map(|field| field.to_str().ok())
        .flat_map(|field| field.split(','));
    let mut names = names.map(str::trim);
    if names.any(|known| known == "*" || known.eq_ignore_ascii_case(name)) {
        return;
    }
    // A second field would need memory of its own in the map.
    match headers.get_mut(VARY) {
        Some(only) => match HeaderValue::from_bytes(&[only.as_bytes(), b", ", name.as_bytes()].concat()) {
            Ok(both) => *only = both,
            Err(_) => drop(headers.append(VARY, HeaderValue::from_static(name))),
        },
        None => drop(headers.insert(VARY, HeaderValue::from_static(name))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_added_once() {
        for (before, after) in [
            (None, "Origin"),
            (Some("Accept"), "Accept, Origin"),
            (Some("origin, Cookie"), "origin, Cookie"),
            (Some("*"), "*"),
        ] {
            let mut headers = HeaderMap::new();
            headers.extend(before.map(|before| (VARY, HeaderValue::from_static(before))));
            vary_by(&mut headers, "Origin");
            vary_by(&mut headers, "Origin");
            assert_eq!(headers.get_all(VARY).iter().collect::<Vec<_>>(), [after]);
        }
    }
}
