//! Memory follows the bytes received: what reading a body takes, measured by the allocator.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fmt::Write as _;
use std::hint::black_box;

use calendar_edge_judge::contract::strict;
use calendar_edge_judge::wordpress::payload::{
    ELEMENT_LIMIT, PHP_DEPTH, PHP_VARIABLE_LIMIT, json_shape, parse_form_body, parse_json, parse_multipart,
};
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Bytes of memory for each byte received.
const FACTOR: usize = 8;

/// What the elements of a body may take beyond that; at most [`ELEMENT_LIMIT`] are kept.
const CONSTANT: usize = 10 * ELEMENT_LIMIT;

const MIB: usize = 1024 * 1024;

type Read = fn(&[u8]);

/// A body of about this many bytes.
type Shape = fn(usize) -> String;

const SHAPES: [(&str, Read, Shape); 17] = [
    ("zeros", json, |size| list(size, |text, _| text.push('0'))),
    ("empty lists", json, |size| {
        list(size, |text, _| text.push_str("[]"))
    }),
    ("empty objects", json, |size| {
        list(size, |text, _| text.push_str("{}"))
    }),
    ("one-byte texts", json, |size| {
        list(size, |text, _| text.push_str("\"a\""))
    }),
    ("short numbers", json, |size| {
        list(size, |text, n| write!(text, "{n}.5e-7").unwrap())
    }),
    ("long numbers", json, |size| {
        list(size, |text, n| write!(text, "1{n:014}").unwrap())
    }),
    ("distinct members", json, |size| object(size, |n| format!("k{n}"))),
    ("repeated members", json, |size| object(size, |_| String::new())),
    ("nested lists", json, |size| {
        list(size, |text, _| text.push_str(&nested(127, "[", "]")))
    }),
    ("nested objects", json, |size| {
        list(size, |text, _| {
            text.push_str(&nested(127, "{\"\":", "}").replace(":}", ":0}"));
        })
    }),
    ("a long text", json, |size| format!("[\"{}\"]", "a".repeat(size))),
    ("escapes", json, |size| {
        format!("[\"{}\"]", "\\n\\u00e4".repeat(size / 8))
    }),
    ("appended variables", form, |size| "a[]=&".repeat(size / 5)),
    ("distinct variables", form, |size| {
        let names: Vec<_> = (0..size / 6).map(|n| format!("{n:x}")).collect();
        names.join("&")
    }),
    ("long names", form, |size| {
        let long = |n: usize| format!("{}{n}&", "a".repeat(1000));
        (0..size / 1003).map(long).collect()
    }),
    ("nested variables", form, |size| {
        let deep = |n: usize| format!("a{n}{}&", "[]".repeat(64));
        (0..size / 132).map(deep).collect()
    }),
    ("tiny parts", multipart, |size| {
        let part = "\r\nContent-Disposition: form-data; name=\"a[]\"\r\n\r\n\r\n--B";
        format!("--B{}--", part.repeat(size / part.len()))
    }),
];

fn json(body: &[u8]) {
    let _ = black_box(parse_json(body, PHP_DEPTH));
    if body.len() <= strict::BODY_BYTES {
        let _ = black_box(json_shape(body, PHP_DEPTH));
    }
}

fn form(body: &[u8]) {
    let _ = black_box(parse_form_body(body));
}

fn multipart(body: &[u8]) {
    let _ = black_box(parse_multipart(body, b"B", PHP_VARIABLE_LIMIT));
}

fn list(size: usize, mut element: impl FnMut(&mut String, usize)) -> String {
    let mut text = "[".to_owned();
    for number in 0.. {
        element(&mut text, number);
        if text.len() >= size {
            break;
        }
        text.push(',');
    }
    text + "]"
}

fn object(size: usize, name: impl Fn(usize) -> String) -> String {
    let members = list(size, |text, number| {
        write!(text, "\"{}\":0", name(number)).unwrap();
    });
    format!("{{{}}}", members.trim_matches(['[', ']']))
}

fn nested(depth: usize, open: &str, close: &str) -> String {
    open.repeat(depth) + &close.repeat(depth)
}

/// The most memory held at once while a body was read, beyond what was held before.
fn peak_of(read: Read, body: &[u8]) -> usize {
    let before = PeakAlloc.current_usage();
    PeakAlloc.reset_peak_usage();
    read(body);
    PeakAlloc.peak_usage() - before
}

/// One test alone: the allocator counts for the whole process.
#[test]
fn takes_eight_bytes_for_each_byte_at_most() {
    // Below the limit of elements, around it, and the largest body.
    for size in [2_000, 20_000, 60_000, MIB, 8 * MIB] {
        for (name, read, shape) in SHAPES {
            let body = shape(size);
            let peak = peak_of(read, body.as_bytes());
            let most = FACTOR * body.len() + CONSTANT;
            assert!(peak <= most, "{name}: {} bytes took {peak}", body.len());
        }
    }
    refusing_takes_next_to_nothing();
}

/// What is refused is refused before anything is built.
fn refusing_takes_next_to_nothing() {
    for (name, _, shape) in &SHAPES[..4] {
        let body = shape(8 * MIB);
        let peak = peak_of(json, body.as_bytes());
        assert!(peak <= 5 * ELEMENT_LIMIT, "{name}: {peak}");
    }
}
