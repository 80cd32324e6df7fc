//! A stream that lets only bytes pass that can be read in one way.
//!
//! Heads are held until they are whole and good, so that hyper never sees a byte of a bad one. In its place
//! hyper gets a *stand-in*: a head that the service knows by its position and answers with the refusal. That
//! way hyper itself keeps the refusal behind the answers to earlier requests, and the refusal takes the way of
//! every answer: request id, log line, metrics. In a body there is no place for a stand-in; there hyper sees
//! the end of the stream, and the service learns why.
//!
//! Frames of HTTP/2 pass as they are, but are metered; behind one too many hyper gets a frame for which it ends
//! the connection itself, so that the client learns of it.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::task::coop;
use tokio_util::io::poll_read_buf;

use super::activity::Activity;
use super::framing::FoundBreach;
use crate::framing::{Breached, Flood, FrameMeter, Head, Inspector, Part, Step};

/// Bytes that are read at once where the reader offers less room, or a head is incomplete.
const READ: usize = 4 * 1024;

/// The method of a stand-in whose own could not be read.
const UNREADABLE: &[u8] = b"UNREADABLE";

/// A PING on a stream: a connection error by RFC 9113 6.7, answered with GOAWAY.
const FORBIDDEN_FRAME: &[u8] = b"\0\0\x08\x06\0\0\0\0\x01\0\0\0\0\0\0\0\0";

/// What a new connection is held to.
#[derive(Debug, Clone)]
pub(super) struct InspectionRules {
    pub(super) inspector: Inspector,
    pub(super) meter: FrameMeter,
}

/// A stream that is inspected_io before it is read.
#[derive(Debug)]
pub(super) struct InspectedIo<S> {
    stream: S,
    inspector: Inspector,
    meter: FrameMeter,
    activity: Activity,
    breach: FoundBreach,
    /// Bytes that came and were not read.
    held: BytesMut,
    /// How many of them may be read.
    passed: usize,
    /// Heads that were let pass.
    heads: u64,
    /// Whether the last bytes of HTTP/2 that passed take more room until somebody makes use of them.
    swollen: bool,
    state: IoState,
}

/// What becomes of further bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IoState {
    Inspecting,
    /// HTTP/2: they pass as they are, metered.
    Passing,
    /// A stand-in is the last that is read: nothing follows, not even an end, which would cancel requests.
    Silent,
    /// The stream seems to end.
    Ended,
}

/// Why bytes cannot pass as they are.
enum IoStop {
    /// They are no whole head.
    Unfinished,
    /// A head has to be spelt otherwise.
    Respell(Head),
    Broken(Breached),
    /// They are more frames than a client may send.
    Flooded(Flood),
}

// === impl InspectedIo ===

impl<S> InspectedIo<S> {
    pub(super) fn new(stream: S, rules: InspectionRules, activity: Activity, breach: FoundBreach) -> Self {
        Self {
            stream,
            inspector: rules.inspector,
            meter: rules.meter,
            activity,
            breach,
            held: BytesMut::new(),
            passed: 0,
            heads: 0,
            swollen: false,
            state: IoState::Inspecting,
        }
    }

    /// How many bytes may pass as they are, and what stops the next one.
    fn admit(&mut self, bytes: &[u8]) -> (usize, Option<IoStop>) {
        let mut good = 0;
        loop {
            let rest = bytes.get(good..).unwrap_or_default();
            if rest.is_empty() {
                return (good, None);
            }
            match self.inspector.inspect(rest) {
                Ok(Step::Unfinished) => return (good, Some(IoStop::Unfinished)),
                Ok(Step::Head(head)) => {
                    self.heads += 1;
                    if head.respelling.is_some() {
                        return (good, Some(IoStop::Respell(head)));
                    }
                    good += head.bytes;
                }
                Ok(Step::Body(count)) => good += count,
                Ok(Step::Multiplexed) => {
                    self.state = IoState::Passing;
                    return self.meter(bytes, good);
                }
                Err(breached) => return (good, Some(IoStop::Broken(breached))),
            }
        }
    }

    /// The same for bytes of which these are frames.
    fn meter(&mut self, bytes: &[u8], from: usize) -> (usize, Option<IoStop>) {
        let frames = bytes.get(from..).unwrap_or_default();
        match self.meter.follow(frames, Instant::now()) {
            Ok(swells) => {
                self.swollen |= swells;
                (bytes.len(), None)
            }
            Err(flood) => (from + flood.bytes, Some(IoStop::Flooded(flood))),
        }
    }

    /// Goes on with the held bytes until all have passed or one is stopped.
    fn admit_held(&mut self) {
        while self.state == IoState::Inspecting {
            let held = std::mem::take(&mut self.held);
            let (good, stop) = self.admit(held.get(self.passed..).unwrap_or_default());
            self.held = held;
            self.passed += good;
            match stop {
                None | Some(IoStop::Unfinished) => return,
                Some(stop) => self.stop(stop),
            }
        }
    }

    /// Puts in place what passes instead of the bytes behind the good ones.
    fn stop(&mut self, stop: IoStop) {
        match stop {
            IoStop::Unfinished => {}
            IoStop::Respell(head) => self.respell(&head),
            IoStop::Broken(breached) => self.refuse(breached),
            IoStop::Flooded(flood) => self.end(flood),
        }
    }

    fn end(&mut self, flood: Flood) {
        tracing::debug!(reason = %flood, "a client connection is ended");
        self.held.truncate(self.passed);
        self.held.extend_from_slice(FORBIDDEN_FRAME);
        self.passed = self.held.len();
        self.state = IoState::Silent;
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
                self.state = IoState::Silent;
            }
            Part::Body => {
                // The body belongs to the head that passed last.
                self.breach.report(self.heads.saturating_sub(1), breached);
                self.state = IoState::Ended;
            }
        }
    }

    fn note_written(&mut self, written: io::Result<usize>) -> Poll<io::Result<usize>> {
        if let Ok(bytes) = written {
            self.meter.sent(bytes);
        }
        Poll::Ready(written)
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

impl<S: AsyncRead + Unpin> InspectedIo<S> {
    /// Reads to the reader's own room and judges there; what may not pass moves to the held bytes.
    fn poll_direct(&mut self, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buf))?;
        let fresh = buf.filled().get(before..).unwrap_or_default();
        if fresh.is_empty() {
            self.state = IoState::Ended;
            return Poll::Ready(Ok(()));
        }
        let (good, stop) = match self.state {
            IoState::Passing => self.meter(fresh, 0),
            IoState::Inspecting | IoState::Silent | IoState::Ended => self.admit(fresh),
        };
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
            self.state = IoState::Ended;
        } else {
            self.admit_held();
        }
        Poll::Ready(Ok(()))
    }
}

/// Uses up what this task may do before others have their turn.
///
/// The library reads all it can before anybody else has a turn, though a head of references decodes to many
/// times its bytes, and small pieces of a body cost more than they carry, for which it even ends the connection.
/// While more waits, requests are judged, which lets go of what they may not have, and bodies are read.
fn yield_soon(cx: &mut Context<'_>) {
    // Budgets of tasks are smaller; outside a task there is none, and nothing to be done.
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
            // An empty answer to a reader would tell it of the stream's end.
            if buf.filled().len() > before || buf.remaining() == 0 {
                return Poll::Ready(Ok(()));
            }
            match this.state {
                IoState::Inspecting if this.held.is_empty() && buf.remaining() >= READ => {
                    ready!(this.poll_direct(cx, buf))?;
                }
                IoState::Inspecting => ready!(this.poll_held(cx))?,
                IoState::Passing => {
                    if std::mem::take(&mut this.swollen) {
                        yield_soon(cx);
                    }
                    let turn = ready!(coop::poll_proceed(cx));
                    ready!(this.poll_direct(cx, buf))?;
                    turn.made_progress();
                }
                IoState::Silent => return Poll::Pending,
                IoState::Ended => return Poll::Ready(Ok(())),
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
