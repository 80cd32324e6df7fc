//! Limits the HTTP/2 frames that cause work and carry nothing (RFC 9113 10.5).
//!
//! The meter reads the nine bytes before each payload, the length of its padding, and the fields of requests, in which it
//! marks fragments. Each kind of frame has a budget, which is
//! refilled by time and by the bytes that the edge sends: a client that reads responses has a reason to send
//! such frames. The edge's own reply to a frame is too short to refill the budget for the next frame.

use std::time::Instant;

use super::budget::FrameBudget;
use super::field_blocks::FieldBlocks;
use super::frame_position::{FrameKind, FramePayload, FramePosition, HEAD};
use super::hpack::BrokenFields;
use super::inspector::PREFACE;
use crate::settings::FrameRates;

/// The bytes sent to the client that refill one frame of each kind. The longest reply to a frame has 17.
const REFILL_BYTES: u64 = 64;

/// The reason why a connection ends because of its frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FrameBreach {
    /// It sent more frames of one kind than it may.
    #[error("a flood of {0:?} frames")]
    Flood(FrameKind),
    /// It sent fields that cannot be decoded, or frames around them that must not be there (RFC 9113 4.3).
    #[error("fields that cannot be decoded")]
    Fields,
}

/// The report of a breach in frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{breach}")]
pub struct BreachedFrames {
    /// The reason.
    pub breach: FrameBreach,
    /// The number of bytes, of those given to [`FrameMeter::follow`], before those that must not pass.
    pub bytes: usize,
}

/// What frames that pass ask of the reader.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FollowedFrames {
    /// True if frames begin that take more memory than their size until the connection handles them: request heads, which
    /// are compressed, and small pieces of bodies.
    pub needs_room: bool,
    /// True if a path had a fragment. It was marked, and the library will reset its stream.
    pub has_fragment: bool,
}

/// Meters the frames of one connection, starting with its preface.
///
/// It stores no payload, but the sizes of the fields that a client may refer to: at most 128.
#[derive(Debug, Clone)]
pub struct FrameMeter {
    at: FramePosition,
    budgets: [FrameBudget; 6],
    /// The fields of requests, from the first one.
    fields: Option<Box<FieldBlocks>>,
    granted: Option<Instant>,
    /// Sent bytes that have not refilled a frame yet.
    sent: u64,
}

// === impl FrameMeter ===

impl FrameMeter {
    /// Returns a meter for a new connection, whose first bytes are the preface.
    #[expect(clippy::cast_possible_truncation, reason = "the preface has 24 bytes")]
    pub fn new(rates: &FrameRates) -> Self {
        let budgets = [
            rates.resets,
            rates.settings,
            rates.pings,
            rates.window_updates,
            rates.small_data,
            rates.other_frames,
        ];
        Self {
            at: FramePosition::Payload(PREFACE.len() as u32, None),
            budgets: budgets.map(FrameBudget::full),
            fields: None,
            granted: None,
            sent: 0,
        }
    }

    /// Records bytes that were sent to the client.
    pub fn sent(&mut self, bytes: usize) {
        self.sent = self.sent.saturating_add(u64::try_from(bytes).unwrap_or(u64::MAX));
    }

    /// Meters the next bytes of the client, and marks fragments in them. `now` must never decrease.
    ///
    /// # Errors
    ///
    /// Returns the breach if a frame that exceeds its budget ends in these bytes, or if fields cannot be decoded.
    pub fn follow(&mut self, bytes: &mut [u8], now: Instant) -> Result<FollowedFrames, BreachedFrames> {
        self.grant(now);
        let mut followed = FollowedFrames::default();
        let given = bytes.len();
        let mut rest = bytes;
        while !rest.is_empty() {
            let before = given - rest.len();
            let taken = self
                .take(rest, &mut followed)
                .map_err(|BrokenFields| BreachedFrames {
                    breach: FrameBreach::Fields,
                    bytes: before,
                })?;
            (_, rest) = rest.split_at_mut(taken);
            if let Some(kind) = self.end_frame()
                && !self.budget(kind).spend()
            {
                return Err(BreachedFrames {
                    breach: FrameBreach::Flood(kind),
                    bytes: given - rest.len(),
                });
            }
        }
        Ok(followed)
    }

    /// Takes the bytes that belong together from the beginning of these, at least one; returns their number.
    fn take(&mut self, bytes: &mut [u8], followed: &mut FollowedFrames) -> Result<usize, BrokenFields> {
        match &mut self.at {
            FramePosition::Head(head, known) => {
                let mut taken = 0;
                for (place, byte) in head.iter_mut().skip(*known).zip(&*bytes) {
                    *place = *byte;
                    taken += 1;
                }
                *known += taken;
                if *known == HEAD {
                    let head = *head;
                    self.enter(&FramePayload::of(head), followed);
                    self.begin_fields(&head)?;
                }
                Ok(taken)
            }
            FramePosition::PadLength(length, ends_stream) => {
                let padding = bytes.first().copied().unwrap_or_default();
                let payload = FramePayload::of_padded_data(*length, padding, *ends_stream);
                self.enter(&payload, followed);
                Ok(1)
            }
            FramePosition::Fields(left) => {
                let (here, _) = bytes.split_at_mut(here(left, bytes.len()));
                if let Some(fields) = &mut self.fields {
                    followed.has_fragment |= fields.follow(here)?;
                }
                Ok(here.len())
            }
            FramePosition::Payload(left, _) => Ok(here(left, bytes.len())),
        }
    }

    const fn enter(&mut self, payload: &FramePayload, followed: &mut FollowedFrames) {
        followed.needs_room |= payload.needs_memory;
        self.at = payload.at;
    }

    /// Begins a frame of fields; any other frame must not stand within a block of fields.
    fn begin_fields(&mut self, head: &[u8; HEAD]) -> Result<(), BrokenFields> {
        if FieldBlocks::takes(head) {
            let fields = self.fields.get_or_insert_with(|| Box::new(FieldBlocks::new()));
            return fields.begin(head);
        }
        match &self.fields {
            Some(fields) if fields.is_open() => Err(BrokenFields),
            _ => Ok(()),
        }
    }

    /// Leaves a frame that ends here; returns its kind if it is charged.
    const fn end_frame(&mut self) -> Option<FrameKind> {
        let charged = match self.at {
            FramePosition::Payload(0, kind) => kind,
            FramePosition::Fields(0) => None,
            _ => return None,
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
        for budget in &mut self.budgets {
            budget.grant(milliseconds, frames);
        }
    }

    const fn budget(&mut self, kind: FrameKind) -> &mut FrameBudget {
        let [resets, settings, pings, window_updates, small_data, others] = &mut self.budgets;
        match kind {
            FrameKind::Reset => resets,
            FrameKind::Settings => settings,
            FrameKind::Ping => pings,
            FrameKind::WindowUpdate => window_updates,
            FrameKind::SmallData => small_data,
            FrameKind::Other => others,
        }
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
