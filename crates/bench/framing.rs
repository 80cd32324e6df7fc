//! What it costs to follow a connection's bytes: heads of usual sizes, bodies, chunks and frames.

use std::time::Instant;

use calendar_edge_core::framing::{FrameMeter, Inspector, Step};
use calendar_edge_core::settings::Limits;
use divan::counter::BytesCount;
use divan::{Bencher, black_box};

fn main() {
    divan::main();
}

/// What a script sends.
const SCRIPT: &str = "GET /wp-json/tribe/events/v1/events?per_page=50&page=2 HTTP/1.1\r\nHost: events.example.org\r\n\
                      User-Agent: python-requests/2.32.3\r\nAccept-Encoding: gzip, deflate\r\nAccept: */*\r\n\
                      Connection: keep-alive\r\n\r\n";

/// What a browser sends.
fn browser() -> String {
    let cookie = "wordpress_test_cookie=WP%20Cookie%20check; _ga=GA1.1.1234567890.1234567890; ".repeat(4);
    format!(
        "GET /wp-json/tribe/events/v1/events?start_date=2026-01-01&search=jazz HTTP/1.1\r\n\
         Host: events.example.org\r\nsec-ch-ua: \"Chromium\";v=\"140\", \"Not=A?Brand\";v=\"24\"\r\n\
         sec-ch-ua-mobile: ?0\r\nsec-ch-ua-platform: \"Linux\"\r\n\
         User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36\r\n\
         Accept: application/json, text/plain, */*\r\nSec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: cors\r\n\
         Sec-Fetch-Dest: empty\r\nReferer: https://events.example.org/calendar/\r\n\
         Accept-Encoding: gzip, deflate, br, zstd\r\nAccept-Language: de-DE,de;q=0.9,en;q=0.8\r\nCookie: {cookie}\r\n\r\n"
    )
}

fn stream(name: &str) -> Vec<u8> {
    let text = match name {
        "script" => SCRIPT.to_owned(),
        "browser" => browser(),
        "length" => format!(
            "POST / HTTP/1.1\r\nContent-Length: 65536\r\n\r\n{}",
            "a".repeat(65_536)
        ),
        _ => format!(
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n{}0\r\n\r\n",
            format!("1000\r\n{}\r\n", "a".repeat(4096)).repeat(16)
        ),
    };
    text.into_bytes()
}

/// A stream that comes whole.
#[divan::bench(args = ["script", "browser", "length", "chunked"])]
fn following(bencher: Bencher<'_, '_>, name: &str) {
    let stream = stream(name);
    let fresh = Inspector::new(&Limits::default());
    bencher
        .counter(BytesCount::of_slice(&stream))
        .with_inputs(|| fresh.clone())
        .bench_values(|mut inspector| {
            let mut rest = stream.as_slice();
            while !rest.is_empty() {
                let bytes = match inspector.inspect(black_box(rest)) {
                    Ok(Step::Head(head)) => head.bytes,
                    Ok(Step::Body(bytes)) => bytes,
                    other => unreachable!("a good stream, but {other:?}"),
                };
                rest = rest.get(bytes..).unwrap_or_default();
            }
        });
}

/// Frames of HTTP/2 behind the preface, as they come from one read of a socket each.
#[divan::bench(args = ["requests", "uploads", "pings"])]
fn metering(bencher: Bencher<'_, '_>, name: &str) {
    let (head, length) = match name {
        "requests" => ([0, 0, 60, 1, 4, 0, 0, 0, 1], 60),
        "uploads" => ([0, 0x40, 0, 0, 0, 0, 0, 0, 1], 16 * 1024),
        _ => ([0, 0, 8, 6, 0, 0, 0, 0, 0], 8),
    };
    let fields = b"\x82\x86\x01\x09localhost\x04\x2d/wp-json/tribe/events/v1/events?page=2&search";
    let payload = if name == "requests" {
        fields.to_vec()
    } else {
        vec![0; length]
    };
    let frame = [head.as_slice(), &payload].concat();
    let count = 64 * 1024 / frame.len();
    let stream = [
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".as_slice(),
        &frame.repeat(count),
    ]
    .concat();
    let fresh = FrameMeter::new(u32::MAX);
    bencher
        .counter(BytesCount::of_slice(&stream))
        .with_inputs(|| fresh.clone())
        .bench_values(|mut meter| {
            let mut stream = black_box(&stream).clone();
            for read in stream.chunks_mut(8 * 1024) {
                meter.follow(read, Instant::now()).expect("a large budget");
            }
        });
}
