//! Multipart forms: content type on the first line, body below; read fields are what a plain form would hold.

#![no_main]

use bytes::Bytes;
use calendar_edge_judge::wordpress::payload::{
    BodyReading, FormScanner, PHP_VARIABLE_LIMIT, SiteForm, body_reading, parse_form, parse_multipart,
};
use calendar_edge_judge::wordpress::value::{write_escaped, write_query};
use http::Method;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    let Some(end) = text.iter().position(|&byte| byte == b'\n') else {
        return;
    };
    let (content_type, body) = (&text[..end], &text[end + 1..]);
    for method in [Method::PUT, Method::DELETE, Method::GET] {
        let reading = body_reading(&method, &method, Some(content_type));
        assert!(
            !matches!(reading, BodyReading::Multipart { .. }),
            "PHP reads these on POST alone"
        );
    }
    let BodyReading::Multipart { boundary } = body_reading(&Method::POST, &Method::POST, Some(content_type))
    else {
        return;
    };
    let Some(boundary) = boundary else { return };
    let scanned = scan(boundary, body);
    let Ok(fields) = parse_multipart(body, boundary, PHP_VARIABLE_LIMIT) else {
        return;
    };
    if let Ok(named) = scanned {
        let read = fields.get("rest_route").and_then(|route| route.as_text());
        assert_eq!(named.as_deref(), read);
    }
    let mut form = String::new();
    for (key, value) in fields.entries() {
        let mut name = String::new();
        write_escaped(&key.to_bytes(), &mut name);
        write_query(&name, value, &mut form);
    }
    assert_eq!(parse_form(form.as_bytes()), fields);
});

/// The last route of a form that comes in pieces; an array is an error.
fn scan(boundary: &[u8], body: &[u8]) -> Result<Option<Vec<u8>>, ()> {
    let mut scanner = FormScanner::new(SiteForm::Multipart { boundary }).expect("a form");
    let mut routes = Vec::new();
    for piece in body.chunks(7) {
        routes.extend(scanner.push(Bytes::copy_from_slice(piece)).map_err(drop)?.routes);
    }
    routes.extend(scanner.finish().map_err(drop)?.routes);
    Ok(routes.pop())
}
