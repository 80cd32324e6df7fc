//! A stream that passes only bytes that have exactly one reading.
//!
//! Heads are held until they are complete and valid, so hyper never sees a byte of a bad one. Instead hyper gets a
//! *stand-in*: a head that the service recognizes by its position and refuses. This has two
//! advantages: hyper keeps the refusal in order behind earlier responses, and the refusal is logged and counted like
//! every response. Inside a body, hyper sees the end of the stream, and the service receives the reason.
//!
//! Frames of HTTP/2 pass metered, and unchanged but for fragments, which hyper would drop. When a client exceeds the
//! limits, hyper gets a forbidden frame, and ends the connection with GOAWAY; or, in the middle of a frame, the end.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::task::coop;
use tokio_util::io::poll_read_buf;

use super::activity::Activity;
use super::framing::FoundBreach;
use super::stream::ClientStream;
use calendar_edge_core::framing::{Breached, FrameFlood, FrameMeter, Head, Inspector, Step};

/// The read size in bytes when the reader offers less space, or when a head is incomplete.
const READ: usize = 4 * 1024;

/// The method of a stand-in if the real method could not be read.
const UNREADABLE: &[u8] = b"UNREADABLE";

/// A PING on a stream other than 0: a connection error by RFC 9113 6.7, to which hyper responds with GOAWAY.
const FORBIDDEN_FRAME: &[u8] = b"\0\0\x08\x06\0\0\0\0\x01\0\0\0\0\0\0\0\0";

/// A stream whose bytes are inspected before the reader gets them.
#[derive(Debug)]
pub(super) struct InspectedIo<S> {
    stream: S,
    inspector: Inspector,
    meter: FrameMeter,
    activity: Arc<Activity>,
    breach: Arc<FoundBreach>,
    /// Bytes that were received and not yet read.
    held: BytesMut,
    /// The number of held bytes that may be read.
    passed: usize,
    /// The number of heads that passed.
    heads: u64,
    /// True if the last HTTP/2 bytes that passed need extra memory until the connection handles them.
    needs_room: bool,
    state: InspectionState,
}

/// The treatment of further bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum InspectionState {
    Inspecting,
    /// HTTP/2: bytes pass metered.
    Passing,
    /// A stand-in was the last head. Nothing follows, not even the end of the stream, which would cancel
    /// requests.
    Silent,
    /// The reader sees the end of the stream.
    Ended,
}

/// The reason why bytes cannot pass unchanged.
enum InspectionStop {
    /// A head must be respelt.
    Respell(Head),
    Broken(Breached),
    /// They are frames that the connection ends for.
    Flood(FrameFlood),
}

// === impl InspectedIo ===

impl<S> InspectedIo<S> {
    /// The stream of a new connection, whose inspector and meter have seen nothing yet.
    pub(super) fn new(
        stream: S,
        inspector: Inspector,
        meter: FrameMeter,
        activity: Arc<Activity>,
        breach: Arc<FoundBreach>,
    ) -> Self {
        Self {
            stream,
            inspector,
            meter,
            activity,
            breach,
            held: BytesMut::new(),
            passed: 0,
            heads: 0,
            needs_room: false,
            state: InspectionState::Inspecting,
        }
    }

    /// Returns the number of bytes that may pass unchanged, and the reason that stops the next one, if it is not that its
    /// head is unfinished.
    fn admit(&mut self, bytes: &[u8]) -> (usize, Option<InspectionStop>) {
        let mut good = 0;
        loop {
            let rest = bytes.get(good..).unwrap_or_default();
            if rest.is_empty() {
                return (good, None);
            }
            match self.inspector.inspect(rest) {
                Ok(Step::Unfinished) => return (good, None),
                Ok(Step::Head(head)) => {
                    self.heads += 1;
                    if head.respelling.is_some() {
                        return (good, Some(InspectionStop::Respell(head)));
                    }
                    good += head.bytes;
                }
                Ok(Step::Body(count)) => good += count,
                Ok(Step::Multiplexed) => {
                    self.state = InspectionState::Passing;
                    return self.meter(bytes, good);
                }
                Err(breached) => return (good, Some(InspectionStop::Broken(breached))),
            }
        }
    }

    /// Does the same as `admit` for HTTP/2: the frames begin at `from`.
    fn meter(&mut self, bytes: &[u8], from: usize) -> (usize, Option<InspectionStop>) {
        let (_, frames) = bytes.split_at(from);
        match self.meter.follow(frames, Instant::now()) {
            Ok(needs_room) => {
                self.needs_room |= needs_room;
                (bytes.len(), None)
            }
            Err(flood) => (from + flood.bytes, Some(InspectionStop::Flood(flood))),
        }
    }

    /// Continues with the held bytes until all have passed or one is stopped.
    fn admit_held(&mut self) {
        while self.state == InspectionState::Inspecting {
            let held = std::mem::take(&mut self.held);
            let (good, stop) = self.admit(held.get(self.passed..).unwrap_or_default());
            self.held = held;
            self.passed += good;
            match stop {
                None => return,
                Some(stop) => self.stop(stop),
            }
        }
    }

    /// Puts the replacement for the stopped bytes behind the good ones.
    fn stop(&mut self, stop: InspectionStop) {
        match stop {
            InspectionStop::Respell(head) => self.respell(&head),
            InspectionStop::Broken(breached) => self.refuse(breached),
            InspectionStop::Flood(flood) => self.end(flood),
        }
    }

    fn end(&mut self, flood: FrameFlood) {
        tracing::debug!(reason = %flood, "a client connection is ended");
        self.breach.end_for_frames();
        self.held.truncate(self.passed);
        self.held.extend_from_slice(FORBIDDEN_FRAME);
        self.passed = self.held.len();
        self.state = InspectionState::Silent;
        // The rest is not read.
        self.activity.dismiss();
    }

    fn respell(&mut self, head: &Head) {
        let behind = self.held.split_off(self.passed + head.bytes);
        let spelt = self.held.split_off(self.passed);
        if let Some((place, target)) = &head.respelling {
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
        if breached.is_in_body {
            // The body belongs to the head that passed last.
            self.breach.report(self.heads.saturating_sub(1), breached);
            self.state = InspectionState::Ended;
            return;
        }
        let method = self.inspector.broken_method(&broken).unwrap_or(UNREADABLE);
        self.held.extend_from_slice(method);
        self.held
            .extend_from_slice(b" / HTTP/1.1\r\nConnection: close\r\n\r\n");
        self.passed = self.held.len();
        self.breach.report(self.heads, breached);
        self.state = InspectionState::Silent;
    }

    fn note_written(&mut self, written: io::Result<usize>) -> Poll<io::Result<usize>> {
        if let Ok(bytes) = written {
            self.meter.sent(bytes);
        }
        Poll::Ready(written)
    }

    /// Copies held bytes that may be read into the reader's buffer.
    fn give(&mut self, buf: &mut ReadBuf<'_>) {
        let count = self.passed.min(buf.remaining());
        buf.put_slice(self.held.get(..count).unwrap_or_default());
        self.held.advance(count);
        self.passed -= count;
        if self.held.is_empty() {
            // An idle connection keeps no buffer.
            self.held = BytesMut::new();
        }
    }
}

impl InspectedIo<ClientStream> {
    /// Ready when a read would give a whole head or the end. Until then an idle connection keeps no buffer.
    pub(super) fn poll_begun(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.state == InspectionState::Inspecting && self.passed == 0 {
            if self.held.is_empty() {
                ready!(self.stream.socket.poll_sent(cx));
            }
            let read = self.poll_held(cx);
            if self.held.is_empty() {
                self.held = BytesMut::new();
            }
            ready!(read)?;
        }
        Poll::Ready(Ok(()))
    }

    /// True if the client uses HTTP/2, once its first bytes have come.
    pub(super) const fn is_http2(&self) -> bool {
        self.inspector.is_multiplexed()
    }
}

impl<S: AsyncRead + Unpin> InspectedIo<S> {
    /// Reads into the reader's own buffer and inspects there. Bytes that may not pass move to the held bytes.
    fn poll_direct(&mut self, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buf))?;
        let fresh = buf.filled_mut().get_mut(before..).unwrap_or_default();
        if fresh.is_empty() {
            self.state = InspectionState::Ended;
            return Poll::Ready(Ok(()));
        }
        let (good, stop) = match self.state {
            InspectionState::Passing => self.meter(fresh, 0),
            InspectionState::Inspecting | InspectionState::Silent | InspectionState::Ended => {
                self.admit(fresh)
            }
        };
        // Those of an unfinished head, and those that are stopped.
        self.held.extend_from_slice(fresh.get(good..).unwrap_or_default());
        buf.set_filled(before + good);
        if let Some(stop) = stop {
            self.stop(stop);
            if self.passed > 0 {
                self.admit_held();
            }
        }
        Poll::Ready(Ok(()))
    }

    /// Reads and appends to the held bytes.
    fn poll_held(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.held.reserve(READ);
        let Poll::Ready(read) = poll_read_buf(Pin::new(&mut self.stream), cx, &mut self.held) else {
            if !self.held.is_empty() {
                // A head that began while a request was running must not count as idle time after that request.
                self.activity.received();
            }
            return Poll::Pending;
        };
        if read? == 0 {
            self.state = InspectionState::Ended;
        } else {
            self.admit_held();
        }
        Poll::Ready(Ok(()))
    }
}

/// Uses up the task's budget, so that other tasks run next.
///
/// hyper reads as long as it can. Two kinds of input make that expensive: a head of references decodes to many times
/// its size, and small pieces of a body cost more memory than they carry, for which hyper even ends the connection.
/// While the rest waits, the edge judges requests, which frees memory, and reads bodies.
fn yield_soon(cx: &mut Context<'_>) {
    // A task's budget is smaller than this. Outside a task there is no budget, and the calls do nothing.
    for _ in 0..=u8::MAX {
        match coop::poll_proceed(cx) {
            Poll::Ready(turn) => turn.made_progress(),
            Poll::Pending => return,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for InspectedIo<S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buf.filled().len();
        loop {
            this.give(buf);
            // An empty result would signal the end of the stream to the reader.
            if buf.filled().len() > before || buf.remaining() == 0 {
                return Poll::Ready(Ok(()));
            }
            match this.state {
                InspectionState::Inspecting if this.held.is_empty() && buf.remaining() >= READ => {
                    ready!(this.poll_direct(cx, buf))?;
                }
                InspectionState::Inspecting => ready!(this.poll_held(cx))?,
                InspectionState::Passing => {
                    if std::mem::take(&mut this.needs_room) {
                        yield_soon(cx);
                    }
                    let turn = ready!(coop::poll_proceed(cx));
                    ready!(this.poll_direct(cx, buf))?;
                    turn.made_progress();
                }
                InspectionState::Silent => return Poll::Pending,
                InspectionState::Ended => return Poll::Ready(Ok(())),
            }
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for InspectedIo<S> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = ready!(Pin::new(&mut this.stream).poll_write(cx, buf));
        this.note_written(written)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = ready!(Pin::new(&mut this.stream).poll_write_vectored(cx, bufs));
        this.note_written(written)
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
#[path = "inspected_io_tests.rs"]
mod tests;
