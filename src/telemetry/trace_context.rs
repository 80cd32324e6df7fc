//! The trace that a request belongs to, as W3C Trace Context spells it.

use http::header::HeaderName;
use http::{HeaderMap, HeaderValue};
use uuid::Uuid;

/// The header with trace, parent and flags.
pub(crate) const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// The header with additions of tracing systems.
pub(crate) const TRACESTATE: HeaderName = HeaderName::from_static("tracestate");

/// Maximum bytes of `tracestate` that are passed on; systems must accept as many.
const LONGEST_STATE: usize = 512;

/// The trace of one request, and the edge's own place in it.
#[derive(Debug, Clone)]
pub(crate) struct TraceContext {
    /// Its id, in hexadecimal digits, like the next one.
    trace: [u8; 32],
    /// The id of the edge's part.
    span: [u8; 16],
    is_sampled: bool,
    state: Option<HeaderValue>,
}

/// The headers of a request that name its trace, not yet read.
#[derive(Debug, Clone)]
pub(crate) struct TraceHeaders {
    parent: Option<HeaderValue>,
    state: Option<HeaderValue>,
}

// === impl TraceHeaders ===

impl TraceHeaders {
    /// The headers of a request; a parent that is named twice is none.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let mut parents = headers.get_all(TRACEPARENT).iter();
        let parent = parents.next().filter(|_| parents.next().is_none()).cloned();
        Self {
            state: parent.as_ref().and_then(|_| state(headers)),
            parent,
        }
    }
}

// === impl TraceContext ===

impl TraceContext {
    /// Continues the trace that a request names, with the flag of its parent, or begins one that is
    /// sampled: the site decides what it records.
    pub(crate) fn of(headers: &TraceHeaders) -> Self {
        let parent = headers.parent.as_ref();
        let span = fresh_span();
        match parent.and_then(|parent| parse(parent.as_bytes())) {
            Some((trace, is_sampled)) => Self {
                trace,
                span,
                is_sampled,
                state: headers.state.clone(),
            },
            None => Self {
                trace: fresh_trace(),
                span,
                is_sampled: true,
                state: None,
            },
        }
    }

    /// The id of the trace, 32 hexadecimal digits.
    pub(crate) fn trace_id(&self) -> &str {
        text(&self.trace)
    }

    /// The id of the edge's part in it, 16 hexadecimal digits.
    pub(crate) fn span_id(&self) -> &str {
        text(&self.span)
    }

    /// Writes both headers for the site, with this span as the parent of what the site does. They replace those of the
    /// client.
    pub(super) fn write(&self, headers: &mut HeaderMap) {
        let flags = if self.is_sampled { b"01" } else { b"00" };
        let parent = [b"00-".as_slice(), &self.trace, b"-", &self.span, b"-", flags].concat();
        if let Ok(parent) = HeaderValue::try_from(parent) {
            headers.insert(TRACEPARENT, parent);
        }
        match &self.state {
            Some(state) => headers.insert(TRACESTATE, state.clone()),
            None => headers.remove(TRACESTATE),
        };
    }
}

/// The id of a new trace.
fn fresh_trace() -> [u8; 32] {
    let mut id = [0; 32];
    Uuid::new_v4().as_simple().encode_lower(&mut id);
    id
}

/// The id of a new span.
fn fresh_span() -> [u8; 16] {
    // Random but for its first two bits, of which one is set: an id is never zero.
    *fresh_trace().last_chunk::<16>().unwrap_or(&[b'1'; 16])
}

fn text(digits: &[u8]) -> &str {
    std::str::from_utf8(digits).unwrap_or_default()
}

/// Reads `traceparent`: the trace, and whether it is sampled; `None` for a value that names no trace.
fn parse(parent: &[u8]) -> Option<([u8; 32], bool)> {
    let mut parts = parent.splitn(5, |byte| *byte == b'-');
    let mut next = || parts.next().filter(|part| is_hex(part));
    let (version, trace, span, flags) = (next()?, next()?, next()?, next()?);
    // Later versions may have more parts.
    let is_known = version.len() == 2 && version != b"ff" && (version != b"00" || parts.next().is_none());
    let is_zero = |id: &[u8]| id.iter().all(|digit| *digit == b'0');
    if !is_known || flags.len() != 2 || span.len() != 16 || is_zero(trace) || is_zero(span) {
        return None;
    }
    // The last bit of the last digit.
    let is_sampled = char::from(*flags.last()?).to_digit(16)? & 1 == 1;
    Some((trace.try_into().ok()?, is_sampled))
}

fn is_hex(text: &[u8]) -> bool {
    text.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// All `tracestate` fields as one, unless they are too long or hold odd bytes.
fn state(headers: &HeaderMap) -> Option<HeaderValue> {
    let mut fields = headers.get_all(TRACESTATE).iter();
    let first = fields.next()?;
    let rest: Vec<&[u8]> = fields.map(HeaderValue::as_bytes).collect();
    let joined = if rest.is_empty() {
        first.clone()
    } else {
        let all: Vec<&[u8]> = [first.as_bytes()].into_iter().chain(rest).collect();
        HeaderValue::from_bytes(&all.join(&b","[..])).ok()?
    };
    let is_printable = joined
        .as_bytes()
        .iter()
        .all(|byte| matches!(byte, b' '..=b'~' | b'\t'));
    (is_printable && joined.len() <= LONGEST_STATE).then_some(joined)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

    /// The length of `traceparent` in version 00.
    const PARENT_LENGTH: usize = 55;

    fn outgoing(fields: &[(&'static str, &str)]) -> (String, Option<String>) {
        let mut headers = HeaderMap::new();
        for (name, value) in fields {
            headers.append(*name, HeaderValue::from_str(value).unwrap());
        }
        TraceContext::of(&TraceHeaders::of(&headers)).write(&mut headers);
        assert_eq!(headers.get_all(TRACEPARENT).iter().count(), 1);
        let text = |name| {
            headers
                .get(&name)
                .map(|value: &HeaderValue| value.to_str().unwrap().to_owned())
        };
        (text(TRACEPARENT).unwrap(), text(TRACESTATE))
    }

    #[test]
    fn a_trace_goes_on_with_another_parent() {
        let sent = format!("00-{TRACE}-00f067aa0ba902b7-01");
        let (parent, state) = outgoing(&[
            ("traceparent", &sent),
            ("tracestate", "a=1"),
            ("tracestate", "b=2"),
        ]);
        assert!(
            parent.starts_with(&format!("00-{TRACE}-")) && parent.ends_with("-01"),
            "{parent}"
        );
        assert!(!parent.contains("00f067aa0ba902b7"), "{parent}");
        assert_eq!(state.as_deref(), Some("a=1,b=2"));
        let unsampled = format!("cc-{TRACE}-00f067aa0ba902b7-02-more");
        let (parent, _) = outgoing(&[("traceparent", &unsampled)]);
        assert!(parent.contains(TRACE) && parent.ends_with("-00"), "{parent}");
    }

    #[test]
    fn what_is_no_trace_begins_one() {
        let upper = TRACE.to_uppercase();
        for sent in [
            String::new(),
            format!("ff-{TRACE}-00f067aa0ba902b7-01"),
            format!("00-{TRACE}-00f067aa0ba902b7-01-more"),
            format!("00-{upper}-00f067aa0ba902b7-01"),
            format!("00-{}-00f067aa0ba902b7-01", "0".repeat(32)),
            format!("00-{TRACE}-0000000000000000-01"),
            format!("00-{TRACE}-00f067aa0ba902b7-0x"),
            format!("00-{TRACE}-00f067aa0ba902b7"),
        ] {
            let (parent, state) = outgoing(&[("traceparent", &sent), ("tracestate", "a=1")]);
            assert!(!parent.contains(TRACE), "{sent} {parent}");
            assert!(parse(parent.as_bytes()).is_some(), "{parent}");
            assert_eq!(state, None, "{sent}");
        }
        let sent = format!("00-{TRACE}-00f067aa0ba902b7-01");
        let (parent, _) = outgoing(&[("traceparent", &sent), ("traceparent", &sent)]);
        assert!(!parent.contains(TRACE));
    }

    #[test]
    fn a_new_trace_is_sampled_and_others_follow_their_parents() {
        assert!(outgoing(&[]).0.ends_with("-01"));
        for flags in ["01", "00"] {
            let (parent, _) = outgoing(&[("traceparent", &format!("00-{TRACE}-00f067aa0ba902b7-{flags}"))]);
            assert!(parent.ends_with(&format!("-{flags}")), "{parent}");
        }
    }

    proptest! {
        #[test]
        fn a_parent_is_read_as_it_is_written(trace in "[0-9a-f]{31}[1-9a-f]", span in "[0-9a-f]{15}[1-9a-f]", flags: u8) {
            let parent = format!("00-{trace}-{span}-{flags:02x}");
            let (read, is_sampled) = parse(parent.as_bytes()).unwrap();
            prop_assert_eq!(text(&read), trace.as_str());
            prop_assert_eq!(is_sampled, flags & 1 == 1);
        }

        #[test]
        fn no_bytes_panic_the_reader_or_reach_the_site(sent in prop::collection::vec(any::<u8>(), 0..80), at in 0_usize..55, byte: u8) {
            let _ = parse(&sent);
            let mut damaged = format!("00-{TRACE}-00f067aa0ba902b7-01").into_bytes();
            damaged[at] = byte;
            let mut headers = HeaderMap::new();
            for value in [sent, damaged] {
                let Ok(value) = HeaderValue::from_bytes(&value) else { continue };
                headers.insert(TRACEPARENT, value);
                TraceContext::of(&TraceHeaders::of(&headers)).write(&mut headers);
                prop_assert!(parse(headers[TRACEPARENT].as_bytes()).is_some());
                prop_assert_eq!(headers[TRACEPARENT].len(), PARENT_LENGTH);
            }
        }
    }

    #[test]
    fn odd_states_are_dropped() {
        let sent = format!("00-{TRACE}-00f067aa0ba902b7-01");
        let long = "a".repeat(LONGEST_STATE + 1);
        assert_eq!(outgoing(&[("traceparent", &sent), ("tracestate", &long)]).1, None);
        assert_ne!(outgoing(&[]).0, outgoing(&[]).0);
    }
}
