//! Relayed answers: a whole one passes if it is a JSON document, and pieces of a longer one give the same as all at once.

#![no_main]

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::{Pin, pin};
use std::sync::LazyLock;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use calendar_edge_core::relay::cors::Audience;
use calendar_edge_core::relay::{
    BufferBudget, CallContext, ClientContext, Content, LearntRoots, RelayRules, accept, present,
};
use calendar_edge_fuzz::{namespaced_settings, pieces};
use http::{Method, Response};
use http_body::{Body, Frame};
use http_body_util::BodyExt;
use libfuzzer_sys::fuzz_target;
use serde::Deserialize;
use serde::de::IgnoredAny;

/// Holds every input of this target whole.
static WHOLE: LazyLock<RelayRules> = LazyLock::new(|| rules(1 << 20));
/// Holds the first bytes only, so that the rest is streamed.
static STREAMED: LazyLock<RelayRules> = LazyLock::new(|| rules(16));

fuzz_target!(|input: &[u8]| {
    let [size, spread, text @ ..] = input else { return };
    // A bare array: objects may be errors of the site's, which have rules of their own.
    let array = [b"[", text].concat();
    let is_document = is_document(&array);
    let whole = relayed(&WHOLE, &array, usize::MAX, 0);
    assert_eq!(
        whole.is_some(),
        is_document,
        "{:?}",
        String::from_utf8_lossy(&array)
    );
    let at_once = relayed(&STREAMED, &array, usize::MAX, 0);
    let in_pieces = relayed(&STREAMED, &array, usize::from(*size), *spread);
    assert_eq!(at_once, in_pieces);
    if is_document && array.len() > 16 {
        assert_eq!(at_once, whole, "{:?}", String::from_utf8_lossy(&array));
    }
});

fn is_document(text: &[u8]) -> bool {
    let mut reader = serde_json::Deserializer::from_slice(text);
    std::str::from_utf8(text).is_ok() && IgnoredAny::deserialize(&mut reader).is_ok() && reader.end().is_ok()
}

fn rules(buffer: usize) -> RelayRules {
    let mut site = namespaced_settings().site();
    site.response_buffer_bytes = buffer;
    let budget = BufferBudget::new(site.response_buffer_total);
    RelayRules::new(&site, &LearntRoots::default(), &budget)
}

/// What the client gets; none if the answer is refused or broken off.
fn relayed(rules: &RelayRules, text: &[u8], size: usize, spread: u8) -> Option<Bytes> {
    let call = CallContext {
        root: 0,
        method: Method::GET,
        content: Content::Records,
        operation: None,
        may_be_script: false,
        enveloped: false,
        may_change_language: false,
        target: "/wp-json/tribe/events/v1/events".into(),
    };
    let client = ClientContext {
        public_base: "https://events.example.org".into(),
        namespace: None,
        audience: Audience::Public,
    };
    let response = Response::builder()
        .header("Content-Type", "application/json; charset=UTF-8")
        .body(Pieces(pieces(text, size, spread).collect()))
        .expect("a response");
    let accepted = ready(accept(response, &call, rules)).ok()?;
    let body = present(accepted, &client, rules).into_body();
    Some(ready(body.collect()).ok()?.to_bytes())
}

/// The value of a future that waits for nothing.
fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("all pieces are there"),
    }
}

/// A body in pieces.
struct Pieces(VecDeque<Bytes>);

impl Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.pop_front().map(|piece| Ok(Frame::data(piece))))
    }
}
