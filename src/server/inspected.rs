//! A stream that lets only bytes pass that can be read in one way.
//!
//! Heads are held until they are whole and good, so that hyper never sees a byte of a bad one. In its place
//! hyper gets a *stand-in*: a head that the service knows by its position and answers with the refusal. That
//! way hyper itself keeps the refusal behind the answers to earlier requests, and the refusal takes the way of
//! every answer: request id, log line, metrics. In a body there is no place for a stand-in; there hyper sees
//! the end of the stream, and the service learns why.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_util::io::poll_read_buf;

use super::activity::Activity;
use super::framing::FoundBreach;
use crate::framing::{Breached, Head, Inspector, Part, Step};

/// Bytes that are read at once where the reader offers less room, or a head is incomplete.
const READ: usize = 4 * 1024;

/// The method of a stand-in whose own could not be read.
const UNREADABLE: &[u8] = b"UNREADABLE";

/// A stream that is inspected before it is read.
#[derive(Debug)]
pub(super) struct Inspected<S> {
    stream: S,
    inspector: Inspector,
    activity: Activity,
    breach: FoundBreach,
    /// Bytes that came and were not read.
    held: BytesMut,
    /// How many of them may be read.
    passed: usize,
    /// Heads that were let pass.
    heads: u64,
    state: State,
}

/// What becomes of further bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Inspecting,
    /// HTTP/2: they pass as they are.
    Passing,
    /// A stand-in is the last that is read: nothing follows, not even an end, which would cancel requests.
    Silent,
    /// The stream seems to end.
    Ended,
}

/// Why bytes cannot pass as they are.
enum Stop {
    /// They are no whole head.
    Unfinished,
    /// A head has to be spelt otherwise.
    Respell(Head),
    Broken(Breached),
}

// === impl Inspected ===

impl<S> Inspected<S> {
    pub(super) fn new(stream: S, inspector: Inspector, activity: Activity, breach: FoundBreach) -> Self {
        Self {
            stream,
            inspector,
            activity,
            breach,
            held: BytesMut::new(),
            passed: 0,
            heads: 0,
            state: State::Inspecting,
        }
    }

    /// How many bytes may pass as they are, and what stops the next one.
    fn admit(&mut self, bytes: &[u8]) -> (usize, Option<Stop>) {
        let mut good = 0;
        loop {
            let rest = bytes.get(good..).unwrap_or_default();
            if rest.is_empty() {
                return (good, None);
            }
            match self.inspector.inspect(rest) {
                Ok(Step::Unfinished) => return (good, Some(Stop::Unfinished)),
                Ok(Step::Head(head)) => {
                    self.heads += 1;
                    if head.respelling.is_some() {
                        return (good, Some(Stop::Respell(head)));
                    }
                    good += head.bytes;
                }
                Ok(Step::Body(count)) => good += count,
                Ok(Step::Multiplexed) => {
                    self.state = State::Passing;
                    return (bytes.len(), None);
                }
                Err(breached) => return (good, Some(Stop::Broken(breached))),
            }
        }
    }

    /// Goes on with the held bytes until all have passed or one is stopped.
    fn admit_held(&mut self) {
        while self.state == State::Inspecting {
            let held = std::mem::take(&mut self.held);
            let (good, stop) = self.admit(held.get(self.passed..).unwrap_or_default());
            self.held = held;
            self.passed += good;
            match stop {
                None | Some(Stop::Unfinished) => return,
                Some(stop) => self.stop(stop),
            }
        }
    }

    /// Puts in place what passes instead of the bytes behind the good ones.
    fn stop(&mut self, stop: Stop) {
        match stop {
            Stop::Unfinished => {}
            Stop::Respell(head) => self.respell(&head),
            Stop::Broken(breached) => self.refuse(breached),
        }
    }

    fn respell(&mut self, head: &Head) {
        let behind = self.held.split_off(self.passed + head.bytes);
        let spelt = self.held.split_off(self.passed);
        if let Some(respelling) = &head.respelling {
            let (place, target) = (&respelling.place, &respelling.target);
            self.held
                .extend_from_slice(spelt.get(..place.start).unwrap_or_default());
            self.held.extend_from_slice(target);
            self.held
                .extend_from_slice(spelt.get(place.end..).unwrap_or_default());
        }
        self.passed = self.held.len();
        self.held.extend_from_slice(&behind);
    }

    fn refuse(&mut self, breached: Breached) {
        let broken = self.held.split_off(self.passed);
        match breached.part {
            Part::Head => {
                let method = self.inspector.broken_method(&broken).unwrap_or(UNREADABLE);
                self.held.extend_from_slice(method);
                self.held
                    .extend_from_slice(b" / HTTP/1.1\r\nConnection: close\r\n\r\n");
                self.passed = self.held.len();
                self.breach.report(self.heads, breached);
                self.state = State::Silent;
            }
            Part::Body => {
                // The body belongs to the head that passed last.
                self.breach.report(self.heads.saturating_sub(1), breached);
                self.state = State::Ended;
            }
        }
    }

    /// Gives out held bytes that may be read.
    fn give(&mut self, buf: &mut ReadBuf<'_>) {
        let count = self.passed.min(buf.remaining());
        buf.put_slice(self.held.get(..count).unwrap_or_default());
        self.held.advance(count);
        self.passed -= count;
        if self.held.is_empty() {
            // An idle connection keeps no room.
            self.held = BytesMut::new();
        }
    }
}

impl<S: AsyncRead + Unpin> Inspected<S> {
    /// Reads to the reader's own room and inspects there; what may not pass moves to the held bytes.
    fn poll_direct(&mut self, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buf))?;
        let fresh = buf.filled().get(before..).unwrap_or_default();
        if fresh.is_empty() {
            self.state = State::Ended;
            return Poll::Ready(Ok(()));
        }
        let (good, stop) = self.admit(fresh);
        if let Some(stop) = stop {
            self.held.extend_from_slice(fresh.get(good..).unwrap_or_default());
            buf.set_filled(before + good);
            self.stop(stop);
            if self.passed > 0 {
                self.admit_held();
            }
        }
        Poll::Ready(Ok(()))
    }

    /// Reads behind the held bytes.
    fn poll_held(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.held.reserve(READ);
        let Poll::Ready(read) = poll_read_buf(Pin::new(&mut self.stream), cx, &mut self.held) else {
            if !self.held.is_empty() {
                // A head that began while a request ran must not count as idleness once that has ended.
                self.activity.received();
            }
            return Poll::Pending;
        };
        if read? == 0 {
            self.state = State::Ended;
        } else {
            self.admit_held();
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Inspected<S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buf.filled().len();
        loop {
            this.give(buf);
            // An empty answer to a reader would tell it of the stream's end.
            if buf.filled().len() > before || buf.remaining() == 0 {
                return Poll::Ready(Ok(()));
            }
            match this.state {
                State::Inspecting if this.held.is_empty() && buf.remaining() >= READ => {
                    ready!(this.poll_direct(cx, buf))?;
                }
                State::Inspecting => ready!(this.poll_held(cx))?,
                State::Passing => return Pin::new(&mut this.stream).poll_read(cx, buf),
                State::Silent => return Poll::Pending,
                State::Ended => return Poll::Ready(Ok(())),
            }
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Inspected<S> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write(cx, buf)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;

    use super::*;
    use crate::config::Limits;
    use crate::framing::Breach;

    const STREAM: &str = "GET /a HTTP/1.1\r\nHost: a\r\n\r\nPOST /b HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc\
                          POST /c HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";

    fn inspected(stream: &[u8]) -> (Inspected<&[u8]>, FoundBreach) {
        let breach = FoundBreach::default();
        let inspector = Inspector::new(&Limits::default());
        let stream = Inspected::new(stream, inspector, Activity::new(), breach.clone());
        (stream, breach)
    }

    /// Everything up to the end, read with room for so many bytes at once.
    async fn read(stream: &[u8], room: usize) -> String {
        let (mut stream, _) = inspected(stream);
        let (mut all, mut space) = (Vec::new(), vec![0; room]);
        loop {
            match stream.read(&mut space).await.expect("reading from memory") {
                0 => return String::from_utf8(all).expect("text"),
                count => all.extend_from_slice(&space[..count]),
            }
        }
    }

    #[tokio::test]
    async fn good_bytes_pass_untouched_whatever_the_room() {
        for room in [1, 7, 24, READ - 1, READ, 8192] {
            assert_eq!(read(STREAM.as_bytes(), room).await, STREAM);
        }
        let long = format!("{}{}", STREAM.repeat(200), "GET / HTTP/1.1\r\n");
        for room in [100, READ, 8192] {
            assert_eq!(read(long.as_bytes(), room).await, STREAM.repeat(200));
        }
    }

    #[tokio::test]
    async fn http2_passes_untouched() {
        let stream = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\n\r".as_slice();
        for room in [1, 24, 8192] {
            assert_eq!(read(stream, room).await.as_bytes(), stream);
        }
    }

    #[tokio::test]
    async fn a_respelt_head_stands_between_its_neighbours() {
        let stream = format!("{STREAM}GET /?\" HTTP/1.1\r\nA: \"\r\n\r\n{STREAM}");
        let expected = format!("{STREAM}GET /?%22 HTTP/1.1\r\nA: \"\r\n\r\n{STREAM}");
        for room in [1, READ, 8192] {
            assert_eq!(read(stream.as_bytes(), room).await, expected);
        }
    }

    #[tokio::test]
    async fn a_stand_in_takes_the_place_of_a_broken_head_and_nothing_follows() {
        let stream = format!("{STREAM}PUT / HTTP/1.1\r\nA : b\r\n\r\n{STREAM}");
        let expected = format!("{STREAM}PUT / HTTP/1.1\r\nConnection: close\r\n\r\n");
        for room in [1, READ, 8192] {
            let (mut inspected, breach) = inspected(stream.as_bytes());
            let mut read = Vec::new();
            while read.len() < expected.len() {
                let mut space = vec![0; room];
                let count = inspected.read(&mut space).await.expect("reading from memory");
                read.extend_from_slice(&space[..count]);
            }
            assert_eq!(String::from_utf8_lossy(&read), expected);
            let more = futures_util::FutureExt::now_or_never(inspected.read_u8());
            assert!(more.is_none(), "neither bytes nor an end");
            let found = [(); 4].map(|()| breach.begin().of_head());
            assert_eq!(found, [None, None, None, Some(Breach::Field)]);
        }
    }

    #[tokio::test]
    async fn a_broken_body_ends_the_stream_at_its_last_good_byte() {
        let good = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n";
        for room in [1, READ, 8192] {
            assert_eq!(read(format!("{good}3\nabc\r\n").as_bytes(), room).await, good);
        }
        let (mut inspected, breach) =
            inspected(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n");
        inspected
            .read_to_end(&mut Vec::new())
            .await
            .expect("reading from memory");
        let framing = breach.begin();
        assert_eq!(
            (framing.of_head(), framing.of_body()),
            (None, Some(Breach::Chunk))
        );
    }
}
