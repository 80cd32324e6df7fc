//! Multipart forms: content type on the first line, body below; read fields are what a plain form would hold.

#![no_main]

use calendar_edge::payload::{
    BodyReading, PHP_VARIABLE_LIMIT, body_reading, names_rest_route, parse_form, parse_multipart,
};
use calendar_edge::value::{write_escaped, write_query};
use http::Method;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    let Some(end) = text.iter().position(|&byte| byte == b'\n') else {
        return;
    };
    let (content_type, body) = (&text[..end], &text[end + 1..]);
    for method in [Method::PUT, Method::DELETE, Method::GET] {
        let reading = body_reading(&method, Some(content_type));
        assert!(
            !matches!(reading, BodyReading::Multipart { .. }),
            "PHP reads these on POST alone"
        );
    }
    let names_route = names_rest_route(&Method::POST, Some(content_type), body);
    let BodyReading::Multipart { boundary } = body_reading(&Method::POST, Some(content_type)) else {
        return;
    };
    let Some(boundary) = boundary else {
        assert!(!names_route);
        return;
    };
    let Ok(fields) = parse_multipart(body, boundary, PHP_VARIABLE_LIMIT) else {
        return;
    };
    assert_eq!(names_route, fields.get("rest_route").is_some());
    let mut form = String::new();
    for (key, value) in fields.entries() {
        let mut name = String::new();
        write_escaped(&key.to_bytes(), &mut name);
        write_query(&name, value, &mut form);
    }
    assert_eq!(parse_form(form.as_bytes()), fields);
});
