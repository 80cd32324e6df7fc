//! Follows the bytes of one connection: heads, bodies, chunks, and the next request behind them.

use std::ops::Range;

use super::breach::{Breach, Breached};
use super::chunks::ChunkReader;
use super::head::{Body, Head, HeadReader};
use crate::settings::Limits;

/// The first bytes of a client that uses HTTP/2 from the start (RFC 9113 3.4).
pub(super) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Follows the requests of one connection.
///
/// It stores no bytes. The caller holds them and passes them again until a [`Step`] releases them.
#[derive(Debug, Clone)]
pub struct Inspector {
    limits: Limits,
    at: At,
    broken_method: Option<Range<usize>>,
}

/// The first piece of the held bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The next piece is not complete: call again with the same bytes and more.
    Unfinished,
    /// A complete and valid head.
    Head(Head),
    /// This many bytes belong to a body.
    Body(usize),
    /// The preface of HTTP/2. From here on the frames must be metered by a [`FrameMeter`](super::FrameMeter).
    Multiplexed,
}

#[derive(Debug, Clone)]
enum At {
    /// Only the beginning of the preface was seen.
    Preface,
    Head(HeadReader),
    /// This many bytes of a body are left.
    Length(u64),
    Chunks(ChunkReader),
    Multiplexed,
    Broken(Breached),
}

// === impl Inspector ===

impl Inspector {
    /// Returns an inspector for a new connection.
    pub fn new(limits: &Limits) -> Self {
        Self {
            limits: limits.clone(),
            at: At::Preface,
            broken_method: None,
        }
    }

    /// Inspects the held bytes. `bytes` must contain all bytes that no step has released.
    ///
    /// # Errors
    ///
    /// Returns the breach if the bytes break a rule. The error is final: do not call again.
    pub fn inspect(&mut self, bytes: &[u8]) -> Result<Step, Breached> {
        let step = self.advance(bytes);
        if let Err(breached) = step {
            if let At::Head(reader) = &self.at {
                self.broken_method = reader.method();
            }
            self.at = At::Broken(breached);
        }
        step
    }

    /// The method of a broken head whose request line was accepted. `bytes` must be those that showed the
    /// breach.
    pub fn broken_method<'a>(&self, bytes: &'a [u8]) -> Option<&'a [u8]> {
        bytes.get(self.broken_method.clone()?)
    }

    /// True once the preface of HTTP/2 has come.
    pub const fn is_multiplexed(&self) -> bool {
        matches!(self.at, At::Multiplexed)
    }

    fn advance(&mut self, bytes: &[u8]) -> Result<Step, Breached> {
        loop {
            match &mut self.at {
                At::Preface if bytes.starts_with(PREFACE) => self.at = At::Multiplexed,
                At::Preface if PREFACE.starts_with(bytes) => return Ok(Step::Unfinished),
                At::Preface => self.at = At::Head(HeadReader::default()),
                At::Head(reader) => {
                    let Some(head) = reader.read(bytes, &self.limits).map_err(in_head)? else {
                        return Ok(Step::Unfinished);
                    };
                    self.at = match head.body {
                        Body::Length(0) => At::Head(HeadReader::default()),
                        Body::Length(length) => At::Length(length),
                        Body::Chunked => At::Chunks(ChunkReader::new()),
                    };
                    return Ok(Step::Head(head));
                }
                At::Length(_) if bytes.is_empty() => return Ok(Step::Unfinished),
                At::Length(left) => {
                    let here = usize::try_from(*left).unwrap_or(usize::MAX).min(bytes.len());
                    *left -= u64::try_from(here).unwrap_or(*left);
                    if *left == 0 {
                        self.at = At::Head(HeadReader::default());
                    }
                    return Ok(Step::Body(here));
                }
                At::Chunks(reader) => {
                    let Some((count, is_last)) = reader.read(bytes).map_err(in_body)? else {
                        return Ok(Step::Unfinished);
                    };
                    if is_last {
                        self.at = At::Head(HeadReader::default());
                    }
                    return Ok(Step::Body(count));
                }
                At::Multiplexed => return Ok(Step::Multiplexed),
                At::Broken(breached) => return Err(*breached),
            }
        }
    }
}

const fn in_head(breach: Breach) -> Breached {
    Breached {
        breach,
        is_in_body: false,
    }
}

const fn in_body(breach: Breach) -> Breached {
    Breached {
        breach,
        is_in_body: true,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::errors;

    /// The results for a stream: heads as they are, bodies by their total length.
    #[derive(Debug, PartialEq, Eq)]
    enum Said {
        Head(Vec<u8>),
        Body(usize),
        Multiplexed,
        Breach(Breached),
    }

    /// Passes the stream piece by piece, as a caller that holds bytes does.
    fn said(stream: &[u8], pieces: &[usize]) -> Vec<Said> {
        let mut inspector = Inspector::new(&limits());
        let (mut said, mut held, mut rest) = (Vec::new(), Vec::new(), stream);
        let mut sizes = pieces.iter().copied().chain(std::iter::repeat(usize::MAX));
        while !rest.is_empty() {
            let (piece, behind) = rest.split_at(sizes.next().unwrap_or(1).clamp(1, rest.len()));
            held.extend_from_slice(piece);
            rest = behind;
            loop {
                match inspector.inspect(&held) {
                    Ok(Step::Unfinished) => break,
                    Ok(Step::Head(whole)) => said.push(Said::Head(held.drain(..whole.bytes).collect())),
                    Ok(Step::Body(bytes)) => {
                        held.drain(..bytes);
                        match said.last_mut() {
                            Some(Said::Body(sum)) => *sum += bytes,
                            _ => said.push(Said::Body(bytes)),
                        }
                    }
                    Ok(Step::Multiplexed) => {
                        said.push(Said::Multiplexed);
                        return said;
                    }
                    Err(breached) => {
                        assert_eq!(inspector.inspect(&held), Err(breached), "a breach is final");
                        said.push(Said::Breach(breached));
                        return said;
                    }
                }
                assert!(held.len() <= 1 << 13, "no more is held than a head may have");
            }
        }
        said
    }

    fn limits() -> Limits {
        Limits {
            target_bytes: 64,
            headers: 8,
            header_bytes: 64,
            header_list_bytes: 256,
            ..Limits::default()
        }
    }

    fn breach(stream: &str) -> Option<Breach> {
        match said(stream.as_bytes(), &[]).pop() {
            Some(Said::Breach(breached)) => Some(breached.breach),
            _ => None,
        }
    }

    #[test]
    fn judges_heads() {
        let long = |count| "a".repeat(count);
        for (head, expected) in [
            ("GET / HTTP/1.1\r\nHost: a\r\n\r\n".to_owned(), None),
            ("\r\nGET / HTTP/1.1\r\n\r\n".to_owned(), None),
            (
                "\r\n\r\nGET / HTTP/1.1\r\n\r\n".to_owned(),
                Some(errors::BAD_REQUEST_LINE),
            ),
            ("\nGET / HTTP/1.1\r\n\r\n".to_owned(), Some(errors::BAD_LINE)),
            ("GET /\r\n".to_owned(), Some(errors::BAD_REQUEST_LINE)),
            ("GET / HTTP/1.1\nHost: a\n\n".to_owned(), Some(errors::BAD_LINE)),
            ("GET / HTTP/1.1\r\nA: b\0".to_owned(), Some(errors::BAD_LINE)),
            ("GET / HTTP/1.1\r\nA: b\rc".to_owned(), Some(errors::BAD_LINE)),
            (
                "GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n".to_owned(),
                Some(errors::BAD_HEADER),
            ),
            (format!("GET /{} HTTP/1.1\r\n\r\n", long(63)), None),
            (
                format!("GET /{} HTTP/1.1\r\n\r\n", long(64)),
                Some(errors::TARGET_TOO_LONG),
            ),
            (format!("GET /{}", long(200)), Some(errors::TARGET_TOO_LONG)),
            (long(200), Some(errors::BAD_REQUEST_LINE)),
            (format!("GET / HTTP/1.1\r\nA: {}\r\n\r\n", long(64)), None),
            (
                format!("GET / HTTP/1.1\r\nA: {}\r\n\r\n", long(65)),
                Some(errors::HEADERS_TOO_LARGE),
            ),
            (
                format!("GET / HTTP/1.1\r\nA:{}", " ".repeat(400)),
                Some(errors::HEADERS_TOO_LARGE),
            ),
            (format!("GET / HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(8)), None),
            (
                format!("GET / HTTP/1.1\r\n{}", "A: b\r\n".repeat(9)),
                Some(errors::HEADERS_TOO_LARGE),
            ),
            (
                format!("GET / HTTP/1.1\r\n{}", format!("A: {}\r\n", long(60)).repeat(5)),
                Some(errors::HEADERS_TOO_LARGE),
            ),
        ] {
            assert_eq!(breach(&head), expected, "{head:?}");
        }
    }

    #[test]
    fn judges_the_framing_of_bodies() {
        for (fields, expected) in [
            ("Content-Length: 5", None),
            ("Transfer-Encoding: Chunked", None),
            (
                "Content-Length: 5\r\nContent-Length: 5",
                Some(errors::AMBIGUOUS_LENGTH),
            ),
            (
                "Content-Length: 5\r\ncontent-length: 6",
                Some(errors::AMBIGUOUS_LENGTH),
            ),
            ("Content-Length: 5, 5", Some(errors::AMBIGUOUS_LENGTH)),
            (
                "Content-Length: 5\r\nTransfer-Encoding: chunked",
                Some(errors::LENGTH_AND_CODING),
            ),
            (
                "Transfer-Encoding: chunked\r\nContent-Length: 5",
                Some(errors::LENGTH_AND_CODING),
            ),
            (
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
                Some(errors::BAD_TRANSFER_ENCODING),
            ),
            (
                "Transfer-Encoding: gzip, chunked",
                Some(errors::UNKNOWN_TRANSFER_CODING),
            ),
            ("Transfer_Encoding: chunked", Some(errors::LOOK_ALIKE_HEADER)),
        ] {
            let head = format!("POST / HTTP/1.1\r\n{fields}\r\n\r\n");
            assert_eq!(breach(&head), expected, "{fields}");
        }
        let old = "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n";
        assert_eq!(breach(old), Some(errors::BAD_TRANSFER_ENCODING));
    }

    #[test]
    fn follows_pipelined_requests() {
        let get = "GET /a HTTP/1.1\r\n\r\n";
        let post = "POST /b HTTP/1.1\r\nContent-Length: 5\r\n\r\n";
        let chunked = "POST /c HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
        let body = "5\r\nhello\r\n0\r\n\r\n";
        let stream = format!("{get}{post}hello{get}{chunked}{body}{get}oops\r\n");
        let head = |text: &str| Said::Head(text.as_bytes().to_vec());
        let expected = [
            head(get),
            head(post),
            Said::Body(5),
            head(get),
            head(chunked),
            Said::Body(body.len()),
            head(get),
            Said::Breach(in_head(errors::BAD_REQUEST_LINE)),
        ];
        assert_eq!(said(stream.as_bytes(), &[]), expected);
    }

    #[test]
    fn knows_http2_by_its_whole_preface() {
        assert_eq!(said(PREFACE, &[]), [Said::Multiplexed]);
        assert_eq!(said(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r", &[]), []);
        assert_eq!(
            breach("PRI * HTTP/2.0\r\n\r\nXX"),
            Some(errors::UNSUPPORTED_VERSION)
        );
        assert_eq!(
            breach("\r\nPRI * HTTP/2.0\r\n\r\nSM"),
            Some(errors::UNSUPPORTED_VERSION)
        );
    }

    #[test]
    fn knows_the_method_of_a_broken_head() {
        let mut inspector = Inspector::new(&limits());
        let held = b"HEAD / HTTP/1.1\r\nA : b\r\n";
        assert_eq!(inspector.inspect(held), Err(in_head(errors::BAD_HEADER)));
        assert_eq!(inspector.broken_method(held), Some(&b"HEAD"[..]));
        let mut inspector = Inspector::new(&limits());
        let held = b"HEAD / HTTP/3\r\n";
        assert_eq!(inspector.inspect(held), Err(in_head(errors::UNSUPPORTED_VERSION)));
        assert_eq!(inspector.broken_method(held), None);
    }

    /// Mostly valid streams with faults at random positions.
    fn stream() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            8 => proptest::sample::select(vec![
                "GET / HTTP/1.1\r\n", "POST /a?b=\"c\" HTTP/1.1\r\n", "HEAD / HTTP/1.0\r\n", "Host: a\r\n",
                "Content-Length: 3\r\n", "Transfer-Encoding: chunked\r\n", "\r\n", "abc", "3\r\nabc\r\n",
                "0\r\n", "1;x=y\r\na\r\n", "Trailer: x\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            ])
            .prop_map(|text| text.as_bytes().to_vec()),
            1 => proptest::collection::vec(any::<u8>(), 1..4),
            1 => proptest::sample::select(vec!["\r", "\n", "\0", " ", ":", "\t"])
                .prop_map(|text| text.as_bytes().to_vec()),
            1 => (1..500_usize).prop_map(|count| vec![b'a'; count]),
        ];
        proptest::collection::vec(piece, 1..16).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn the_verdict_does_not_depend_on_how_bytes_arrive(
            stream in stream(),
            pieces in proptest::collection::vec(1..40_usize, 0..40),
        ) {
            let whole = said(&stream, &[]);
            prop_assert_eq!(&said(&stream, &pieces), &whole);
            prop_assert_eq!(&said(&stream, &vec![1; stream.len()]), &whole);
        }
    }
}
