//! hyper reads every admitted stream like the inspector: heads, fields, bodies, and the beginning of the next request.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use calendar_edge_core::framing::{Inspector, Step};
use calendar_edge_core::settings::Limits;
use http::{Request, Response};
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use proptest::prelude::*;
use tokio::io::AsyncWriteExt;

/// A request, as read by one of the two.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Reading {
    method: String,
    target: String,
    fields: usize,
    /// The body, if it is complete.
    body: Option<Vec<u8>>,
}

// === the inspector's reading ===

/// The bytes that the inspector admits, and its interpretation of them.
fn admitted(stream: &[u8]) -> (Vec<u8>, Vec<Reading>) {
    let mut inspector = Inspector::new(&Limits::default());
    let (mut passed, mut readings, mut rest) = (Vec::new(), Vec::new(), stream);
    loop {
        let bytes = match inspector.inspect(rest) {
            Ok(Step::Head(head)) => {
                let mut bytes = rest[..head.bytes].to_vec();
                if let Some((place, target)) = head.respelling {
                    bytes.splice(place, target);
                }
                readings.push((bytes.clone(), Vec::new()));
                passed.extend(bytes);
                head.bytes
            }
            Ok(Step::Body(count)) => {
                let (_, wire) = readings.last_mut().expect("a head before its body");
                wire.extend_from_slice(&rest[..count]);
                passed.extend_from_slice(&rest[..count]);
                count
            }
            Ok(Step::Unfinished | Step::Multiplexed) | Err(_) => break,
        };
        rest = &rest[bytes..];
    }
    // Behind a request of HTTP/1.0 hyper closes.
    let is_last = |(head, _): &(Vec<u8>, _)| head.windows(10).any(|bytes| bytes == b"HTTP/1.0\r\n");
    let kept = readings
        .iter()
        .position(is_last)
        .map_or(readings.len(), |last| last + 1);
    let read = |(head, wire): &(Vec<u8>, Vec<u8>)| reading(head, wire);
    (passed, readings.iter().take(kept).map(read).collect())
}

/// One request, read by a deliberately simple parser.
fn reading(head: &[u8], wire: &[u8]) -> Reading {
    let text = String::from_utf8_lossy(head);
    let mut lines = text.trim_start_matches("\r\n").split("\r\n");
    let mut parts = lines.next().expect("a request line").split(' ');
    let fields: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
    let value = |name: &str| {
        let mut pairs = fields.iter().filter_map(|field| field.split_once(':'));
        pairs.find_map(|(known, value)| known.eq_ignore_ascii_case(name).then_some(value))
    };
    let body = match value("Content-Length").map(|value| value.trim().parse::<usize>()) {
        Some(length) => (length == Ok(wire.len())).then(|| wire.to_vec()),
        None if value("Transfer-Encoding").is_some() => dechunked(wire),
        None => Some(Vec::new()),
    };
    Reading {
        method: parts.next().expect("a method").to_owned(),
        target: parts.next().expect("a target").to_owned(),
        fields: fields.len(),
        body,
    }
}

/// The data of whole chunks.
fn dechunked(mut wire: &[u8]) -> Option<Vec<u8>> {
    let mut data = Vec::new();
    loop {
        let end = wire.windows(2).position(|pair| pair == b"\r\n")?;
        let digits = wire[..end].split(|&byte| byte == b';').next()?;
        let size = usize::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
        wire = &wire[end + 2..];
        if size == 0 {
            return (wire == b"\r\n" || wire.ends_with(b"\r\n\r\n")).then_some(data);
        }
        data.extend_from_slice(wire.get(..size)?);
        wire = wire.get(size + 2..)?;
    }
}

// === hyper's reading ===

async fn read_by_hyper(stream: Vec<u8>) -> Vec<Reading> {
    let readings: Arc<Mutex<Vec<Reading>>> = Arc::default();
    let seen = Arc::clone(&readings);
    let service = service_fn(move |request| note(request, Arc::clone(&seen)));
    let (mut client, server) = tokio::io::duplex(1 << 20);
    client.write_all(&stream).await.expect("the pipe is long enough");
    client.shutdown().await.expect("the pipe is open");
    // An unfinished request is an error here, and part of many streams.
    let _ = http1::Builder::new()
        .half_close(true)
        .serve_connection(TokioIo::new(server), service)
        .await;
    drop(client);
    let readings = readings.lock().expect("nothing panics while holding it");
    readings.clone()
}

async fn note(
    request: Request<Incoming>,
    readings: Arc<Mutex<Vec<Reading>>>,
) -> Result<Response<Empty<Bytes>>, Infallible> {
    let (head, body) = request.into_parts();
    let reading = Reading {
        method: head.method.to_string(),
        target: head.uri.to_string(),
        fields: head.headers.len(),
        body: body.collect().await.ok().map(|body| body.to_bytes().to_vec()),
    };
    readings
        .lock()
        .expect("nothing panics while holding it")
        .push(reading);
    Ok(Response::new(Empty::new()))
}

// === streams ===

/// Pieces of requests in an order that is often right, and faults between them.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let target = prop_oneof![
        Just("/".to_owned()),
        Just("http://a.example/b?c".to_owned()),
        "/[!-~]{0,8}",
        "/[ -~\u{e9}]{0,8}[?][ -~\u{e9}]{0,8}",
    ];
    let line =
        ("[A-Z!#_]{1,5}", target).prop_map(|(method, target)| format!("{method} {target} HTTP/1.1\r\n"));
    let field = prop_oneof![
        4 => "[A-Za-z_.-]{1,6}: ?[ -~\t\u{e9}]{0,12}\r\n".prop_map(|field| field),
        1 => Just("Content-Length: 3\r\n".to_owned()),
        1 => Just("Transfer-Encoding: chunked\r\n".to_owned()),
    ];
    let body = proptest::sample::select(vec![
        "",
        "",
        "abc",
        "3\r\nabc\r\n0\r\n\r\n",
        "1;x=y\r\na\r\n2\r\nbc\r\n0\r\nA: b\r\n\r\n",
        "0\r\n\r\n",
        "ab",
    ]);
    let request = (line, proptest::collection::vec(field, 0..4), body)
        .prop_map(|(line, fields, body)| format!("{line}{}\r\n{body}", fields.concat()).into_bytes());
    let fault = (
        any::<prop::sample::Index>(),
        proptest::sample::select(&b"\r\n\0 :\t;0\xffA"[..]),
    );
    let faults = proptest::collection::vec(fault, 0..2);
    (proptest::collection::vec(request, 1..4), faults).prop_map(|(requests, faults)| {
        let mut stream = requests.concat();
        for (place, byte) in faults {
            let place = place.index(stream.len());
            stream[place] = byte;
        }
        stream
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn hyper_reads_what_the_inspector_admits_as_the_inspector_does(stream in stream()) {
        let (passed, ours) = admitted(&stream);
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let theirs = runtime.block_on(read_by_hyper(passed));
        prop_assert_eq!(theirs, ours);
    }
}
