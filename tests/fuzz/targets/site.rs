//! Site traffic: what passes has no calendar route for a live PHP, and a form reads the same in any pieces.

#![no_main]

use std::env;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::LazyLock;
use std::time::Duration;

use bytes::Bytes;
use calendar_edge_core::gateway::decision::{Decider, Decision, Opening, RequestHead};
use calendar_edge_core::settings::OtherTraffic;
use calendar_edge_fuzz::{Request, namespaced_settings};
use http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

/// The namespace that a path or route must not name, in lower case.
const CALENDAR: &str = "tribe/events/v1";

static DECIDER: LazyLock<Decider> = LazyLock::new(|| {
    let mut settings = namespaced_settings();
    settings.other = OtherTraffic::Forward;
    Decider::new(&settings)
});

/// The address of a PHP that runs `php/echo.php`; `run.sh` starts it.
static PHP: LazyLock<Option<String>> = LazyLock::new(|| {
    let address = env::var("CALENDAR_EDGE_FUZZ_PHP").ok();
    if address.is_none() {
        eprintln!("skipped: no live PHP to compare with, as CALENDAR_EDGE_FUZZ_PHP is not set");
    }
    address
});

fuzz_target!(|text: &[u8]| {
    let Some(request) = Request::read(text) else {
        return;
    };
    let target = match &request.query {
        Some(query) => format!("{}?{query}", request.path),
        None => request.path.clone(),
    };
    let Ok(built) = http::Request::builder()
        .method(&request.method)
        .uri(&target)
        .body(())
    else {
        return;
    };
    let (mut parts, ()) = built.into_parts();
    parts.headers.clone_from(&request.headers);
    let head = RequestHead::from_nowhere(&parts);
    let passes = matches!(DECIDER.decide(&head, &request.body), Decision::Site);
    if let Opening::Site(Some(mut scan)) = DECIDER.open(&head) {
        let mut pieces = request.body.chunks(5).map(Bytes::copy_from_slice);
        let is_clear = pieces.all(|piece| scan.push(piece).is_ok()) && scan.finish().is_ok();
        assert!(
            passes || !is_clear,
            "a form that is refused whole passes in pieces"
        );
        assert!(
            is_clear || !passes,
            "a form that passes whole is refused in pieces"
        );
    }
    if let (true, Some(php)) = (passes, PHP.as_deref()) {
        compare(php, &request, &target);
    }
});

/// Asks PHP how it reads a request that passes.
fn compare(php: &str, request: &Request, target: &str) {
    let Some(read) = ask(php, request, target) else {
        return;
    };
    for name in ["get", "post"] {
        let route = &read[name];
        assert_ne!(route, "array", "{name}: {read}");
        let route = text(route);
        assert!(!names_calendar(&route), "{name}: {route}");
    }
    for path in read["paths"].as_array().into_iter().flatten() {
        let path = text(path);
        let below = path
            .trim_start_matches('/')
            .split_once('/')
            .map_or("", |(_, below)| below);
        assert!(!names_calendar(&format!("/{below}")), "path: {path}");
    }
}

fn names_calendar(route: &str) -> bool {
    let mut after = route
        .match_indices(CALENDAR)
        .map(|(at, name)| (&route[..at], &route[at + name.len()..]));
    after.any(|(before, behind)| {
        before.ends_with('/')
            && behind
                .chars()
                .next()
                .is_none_or(|next| !next.is_ascii_alphanumeric())
    })
}

/// A value of the echo: hexadecimal, so that any bytes can be one.
fn text(value: &Value) -> String {
    let digits = value.as_str().unwrap_or_default();
    let bytes = digits.as_bytes().chunks(2).map(|pair| {
        let pair = std::str::from_utf8(pair).unwrap_or_default();
        u8::from_str_radix(pair, 16).unwrap_or_default()
    });
    String::from_utf8_lossy(&bytes.collect::<Vec<u8>>()).to_ascii_lowercase()
}

/// The answer of PHP; none where its web server refuses the request.
fn ask(php: &str, request: &Request, target: &str) -> Option<Value> {
    let mut stream = TcpStream::connect(php).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(5))).ok()?;
    let mut sent = format!(
        "{} {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n",
        request.method
    )
    .into_bytes();
    for name in [CONTENT_TYPE, CONTENT_ENCODING] {
        for value in request.headers.get_all(&name) {
            sent.extend_from_slice(format!("{name}: ").as_bytes());
            sent.extend_from_slice(value.as_bytes());
            sent.extend_from_slice(b"\r\n");
        }
    }
    sent.extend_from_slice(format!("Content-Length: {}\r\n\r\n", request.body.len()).as_bytes());
    sent.extend_from_slice(&request.body);
    stream.write_all(&sent).ok()?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).ok()?;
    let body = answer.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    serde_json::from_slice(&answer[body..]).ok()
}
