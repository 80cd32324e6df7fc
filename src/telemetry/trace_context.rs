//! The trace that a request belongs to, as W3C Trace Context spells it.

use http::header::HeaderName;
use http::{HeaderMap, HeaderValue};
use uuid::Uuid;

use super::spans::SpanIds;
use calendar_edge_core::settings::Percentage;

/// The header with trace, parent and flags.
pub(crate) const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// The header with additions of tracing systems.
pub(crate) const TRACESTATE: HeaderName = HeaderName::from_static("tracestate");

/// Maximum bytes of `tracestate` that are passed on; systems must accept as many.
const LONGEST_STATE: usize = 512;

/// The trace of one request, and the edge's own place in it.
#[derive(Debug, Clone)]
pub(crate) struct TraceContext {
    /// The place of the edge's part.
    pub(crate) ids: SpanIds,
    pub(crate) is_sampled: bool,
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
    /// Continues the trace that a request names, or begins one.
    ///
    /// Of the traces that begin here this share counts as sampled; others follow their parents.
    pub(crate) fn of(headers: &TraceHeaders, sample: Percentage) -> Self {
        let parent = headers.parent.as_ref();
        match parent.and_then(|parent| parse(parent.as_bytes())) {
            Some((trace, parent, is_sampled)) => Self {
                ids: SpanIds {
                    trace,
                    span: fresh_span(),
                    parent: Some(parent),
                },
                is_sampled,
                state: headers.state.clone(),
            },
            None => Self::fresh(sample),
        }
    }

    fn fresh(sample: Percentage) -> Self {
        let id = Uuid::new_v4();
        let mut trace = [0; 32];
        id.as_simple().encode_lower(&mut trace);
        // Random but for its first two bits.
        let (_, chance) = id.as_u64_pair();
        Self {
            ids: SpanIds {
                trace,
                span: fresh_span(),
                parent: None,
            },
            is_sampled: sample.covers(chance),
            state: None,
        }
    }

    /// A copy of these additions; empty without any.
    pub(crate) fn state(&self) -> String {
        let state = self.state.as_ref().and_then(|state| state.to_str().ok());
        state.unwrap_or_default().to_owned()
    }

    /// The place of an exchange with a backend within the edge's part; each exchange has a number from 1 on.
    pub(super) fn exchange_ids(&self, number: u32) -> SpanIds {
        let own = u64::from_str_radix(self.span_id(), 16).unwrap_or_default();
        let mut span = self.ids.span;
        // An id of its own: this half of the edge's id is random.
        let id = format!("{:016x}", own.wrapping_add(number.into()));
        span.copy_from_slice(id.as_bytes().first_chunk::<16>().unwrap_or(&self.ids.span));
        SpanIds {
            span,
            parent: Some(self.ids.span),
            ..self.ids
        }
    }

    /// The id of the trace, 32 hexadecimal digits.
    pub(crate) fn trace_id(&self) -> &str {
        text(&self.ids.trace)
    }

    /// The id of the edge's part in it, 16 hexadecimal digits.
    pub(crate) fn span_id(&self) -> &str {
        text(&self.ids.span)
    }

    /// Writes both headers for the site, with this span as the parent of what the site does. They replace those of the
    /// client.
    pub(super) fn write(&self, parent: &[u8; 16], headers: &mut HeaderMap) {
        let flags = if self.is_sampled { b"01" } else { b"00" };
        let parent = [b"00-".as_slice(), &self.ids.trace, b"-", parent, b"-", flags].concat();
        if let Ok(parent) = HeaderValue::try_from(parent) {
            headers.insert(TRACEPARENT, parent);
        }
        match &self.state {
            Some(state) => headers.insert(TRACESTATE, state.clone()),
            None => headers.remove(TRACESTATE),
        };
    }
}

/// The id of a new span.
fn fresh_span() -> [u8; 16] {
    let mut id = [0; 32];
    Uuid::new_v4().as_simple().encode_lower(&mut id);
    // Random but for its first two bits, of which one is set: an id is never zero.
    *id.last_chunk::<16>().unwrap_or(&[b'1'; 16])
}

fn text(digits: &[u8]) -> &str {
    std::str::from_utf8(digits).unwrap_or_default()
}

/// Reads `traceparent`: the trace, the span, and whether it is sampled; `None` for a value that names no trace.
fn parse(parent: &[u8]) -> Option<([u8; 32], [u8; 16], bool)> {
    let mut parts = parent.splitn(5, |byte| *byte == b'-');
    let mut next = || parts.next().filter(|part| is_hex(part));
    let (version, trace, span, flags) = (next()?, next()?, next()?, next()?);
    // Later versions may have more parts.
    let is_known = version.len() == 2 && version != b"ff" && (version != b"00" || parts.next().is_none());
    let is_zero = |id: &[u8]| id.iter().all(|digit| *digit == b'0');
    if !is_known || flags.len() != 2 || is_zero(trace) || is_zero(span) {
        return None;
    }
    // The last bit of the last digit.
    let is_sampled = char::from(*flags.last()?).to_digit(16)? & 1 == 1;
    Some((trace.try_into().ok()?, span.try_into().ok()?, is_sampled))
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
        let context = TraceContext::of(&TraceHeaders::of(&headers), Percentage::ALL);
        context.write(&context.ids.span, &mut headers);
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
    fn a_share_of_new_traces_is_sampled_and_others_follow_their_parents() {
        let mut headers = HeaderMap::new();
        let is_sampled =
            |headers: &HeaderMap, sample| TraceContext::of(&TraceHeaders::of(headers), sample).is_sampled;
        assert!(is_sampled(&headers, Percentage::ALL));
        assert!(!is_sampled(&headers, Percentage::NONE));
        let half = Percentage::parse("50%").unwrap();
        let sampled = (0..4000).filter(|_| is_sampled(&headers, half)).count();
        // Beyond fifteen standard deviations.
        assert!((1500..2500).contains(&sampled), "{sampled}");
        for (flags, expected) in [("01", true), ("00", false)] {
            let parent = format!("00-{TRACE}-00f067aa0ba902b7-{flags}");
            headers.insert(TRACEPARENT, parent.parse().unwrap());
            assert_eq!(is_sampled(&headers, Percentage::ALL), expected);
            assert_eq!(is_sampled(&headers, Percentage::NONE), expected);
        }
    }

    #[test]
    fn each_exchange_is_another_child_of_the_edges_part() {
        let mut headers = HeaderMap::new();
        let parent = format!("00-{TRACE}-00f067aa0ba902b7-01");
        headers.insert(TRACEPARENT, parent.parse().unwrap());
        let context = TraceContext::of(&TraceHeaders::of(&headers), Percentage::ALL);
        let own = context.ids;
        assert_eq!(own.parent, Some(*b"00f067aa0ba902b7"));
        let [first, second] = [context.exchange_ids(1), context.exchange_ids(2)];
        assert_ne!(first.span, second.span);
        for child in [first, second] {
            assert_eq!((child.trace, child.parent), (own.trace, Some(own.span)));
            assert!(child.span != own.span && is_hex(&child.span), "{child:?}");
        }
    }

    proptest! {
        #[test]
        fn a_parent_is_read_as_it_is_written(trace in "[0-9a-f]{31}[1-9a-f]", span in "[0-9a-f]{15}[1-9a-f]", flags: u8) {
            let parent = format!("00-{trace}-{span}-{flags:02x}");
            let (read, of_parent, is_sampled) = parse(parent.as_bytes()).unwrap();
            prop_assert_eq!((text(&read), text(&of_parent)), (trace.as_str(), span.as_str()));
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
                let context = TraceContext::of(&TraceHeaders::of(&headers), Percentage::ALL);
                context.write(&context.ids.span, &mut headers);
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
