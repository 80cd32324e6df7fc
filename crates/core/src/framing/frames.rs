//! Limits the HTTP/2 frames that cause work and carry nothing (RFC 9113 10.5).
//!
//! The meter reads the nine bytes before each payload, and the length of its padding. All these frames share one budget,
//! which is refilled by time and by the bytes that the edge sends: a client that reads responses has a reason to send such
//! frames. The edge's own reply to a frame is too short to refill the budget for the next frame.

use std::time::Instant;

use super::budget::{COSTLY, FRAME, FrameBudget, SMALL_DATA};
use super::frame_position::{FrameKind, FramePosition, HEAD};
use super::inspector::PREFACE;

/// The bytes sent to the client that refill one frame. The longest reply to a frame has 17.
const REFILL_BYTES: u64 = 64;

/// A client sent more frames without content than it may, the last of them of this kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a flood of {kind:?} frames")]
pub struct FrameFlood {
    /// The kind of the frame that is one too many.
    pub kind: FrameKind,
    /// The number of bytes, of those given to [`FrameMeter::follow`], before those that must not pass.
    pub bytes: usize,
}

/// Meters the frames of one connection, starting with its preface.
///
/// It stores no payload.
#[derive(Debug, Clone)]
pub struct FrameMeter {
    at: FramePosition,
    budget: FrameBudget,
    granted: Option<Instant>,
    /// Sent bytes that have not refilled a frame yet.
    sent: u64,
}

// === impl FrameMeter ===

impl FrameMeter {
    /// Returns a meter for a new connection, whose first bytes are the preface. It grants so many frames in a second, and
    /// ten times as many at once.
    #[expect(clippy::cast_possible_truncation, reason = "the preface has 24 bytes")]
    pub fn new(frames: u32) -> Self {
        Self {
            at: FramePosition::Payload(PREFACE.len() as u32, None),
            budget: FrameBudget::full(frames),
            granted: None,
            sent: 0,
        }
    }

    /// Records bytes that were sent to the client.
    pub fn sent(&mut self, bytes: usize) {
        self.sent = self.sent.saturating_add(u64::try_from(bytes).unwrap_or(u64::MAX));
    }

    /// Meters the next bytes of the client. `now` must never decrease. Returns true if frames begin that take more memory
    /// than their size until the connection handles them: request heads, which are compressed, and small pieces of bodies.
    ///
    /// # Errors
    ///
    /// Returns the flood if a frame that exceeds the budget ends in these bytes.
    pub fn follow(&mut self, bytes: &[u8], now: Instant) -> Result<bool, FrameFlood> {
        self.grant(now);
        let mut needs_room = false;
        let mut rest = bytes;
        while !rest.is_empty() {
            let taken = self.take(rest, &mut needs_room);
            (_, rest) = rest.split_at(taken);
            if let Some(kind) = self.end_frame()
                && !self.budget.spend(units(kind))
            {
                let bytes = bytes.len() - rest.len();
                return Err(FrameFlood { kind, bytes });
            }
        }
        Ok(needs_room)
    }

    /// Takes the bytes that belong together from the beginning of these, at least one; returns their number.
    fn take(&mut self, bytes: &[u8], needs_room: &mut bool) -> usize {
        let ((at, is_heavy), taken) = match &mut self.at {
            FramePosition::Head(head, known) => {
                let mut taken = 0;
                for (place, byte) in head.iter_mut().skip(*known).zip(bytes) {
                    *place = *byte;
                    taken += 1;
                }
                *known += taken;
                if *known < HEAD {
                    return taken;
                }
                (FramePosition::of_payload(*head), taken)
            }
            FramePosition::PadLength(length, ends_stream) => {
                let padding = bytes.first().copied().unwrap_or_default();
                (FramePosition::of_padded_data(*length, padding, *ends_stream), 1)
            }
            FramePosition::Payload(left, _) => return here(left, bytes.len()),
        };
        *needs_room |= is_heavy;
        self.at = at;
        taken
    }

    /// Leaves a frame that ends here; returns its kind if it is charged.
    const fn end_frame(&mut self) -> Option<FrameKind> {
        let FramePosition::Payload(0, charged) = self.at else {
            return None;
        };
        self.at = FramePosition::Head([0; HEAD], 0);
        charged
    }

    fn grant(&mut self, now: Instant) {
        let since = now.saturating_duration_since(*self.granted.get_or_insert(now));
        let milliseconds = u64::try_from(since.as_millis()).unwrap_or(u64::MAX);
        let frames = self.sent / REFILL_BYTES;
        if milliseconds == 0 && frames == 0 {
            return;
        }
        self.sent %= REFILL_BYTES;
        if milliseconds > 0 {
            self.granted = Some(now);
        }
        self.budget.grant(milliseconds, frames);
    }
}

/// The cost of a frame.
const fn units(kind: FrameKind) -> u64 {
    match kind {
        FrameKind::SmallData => SMALL_DATA,
        FrameKind::Reset | FrameKind::Settings => COSTLY,
        FrameKind::Ping | FrameKind::WindowUpdate | FrameKind::EmptyData | FrameKind::Other => FRAME,
    }
}

/// Takes as many of the bytes that are left as are given.
fn here(left: &mut u32, given: usize) -> usize {
    let taken = u32::try_from(given).unwrap_or(u32::MAX).min(*left);
    *left -= taken;
    usize::try_from(taken).unwrap_or(given)
}

#[cfg(test)]
#[path = "frames_tests.rs"]
mod tests;
