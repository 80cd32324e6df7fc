//! Limits the HTTP/2 frames that cause work and carry nothing (RFC 9113 10.5).
//!
//! The meter reads only the nine bytes before each payload, and the length of its padding. Each kind of frame has a budget, which is
//! refilled by time and by the bytes that the edge sends: a client that reads responses has a reason to send
//! such frames. The edge's own reply to a frame is too short to refill the budget for the next frame.

use std::time::Instant;

use super::budget::FrameBudget;
use super::frame_position::{FrameKind, FramePayload, FramePosition, HEAD};
use super::inspector::PREFACE;
use crate::settings::FrameRates;

/// The bytes sent to the client that refill one frame of each kind. The longest reply to a frame has 17.
const REFILL_BYTES: u64 = 64;

/// The report that a connection sent more frames of one kind than it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a flood of {kind:?} frames")]
pub struct Flood {
    /// The kind of the frames.
    pub kind: FrameKind,
    /// The number of bytes, of those given to [`FrameMeter::follow`], up to the end of the first frame over
    /// the limit.
    pub bytes: usize,
}

/// Meters the frames of one connection, starting with its preface.
///
/// It stores no payload. Its size is fixed.
#[derive(Debug, Clone)]
pub struct FrameMeter {
    at: FramePosition,
    budgets: [FrameBudget; 6],
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
            granted: None,
            sent: 0,
        }
    }

    /// Records bytes that were sent to the client.
    pub fn sent(&mut self, bytes: usize) {
        self.sent = self.sent.saturating_add(u64::try_from(bytes).unwrap_or(u64::MAX));
    }

    /// Meters the next bytes of the client. `now` must never decrease.
    ///
    /// Returns true if frames begin in these bytes that take more memory than their size until the connection
    /// handles them: request heads, which are compressed, and small pieces of bodies.
    ///
    /// # Errors
    ///
    /// Returns a [`Flood`] if a frame that exceeds its budget ends in these bytes.
    pub fn follow(&mut self, bytes: &[u8], now: Instant) -> Result<bool, Flood> {
        self.grant(now);
        let mut needs_room = false;
        let mut rest = bytes;
        while !rest.is_empty() {
            rest = match &mut self.at {
                FramePosition::Head(head, known) => {
                    let (fresh, behind) = rest.split_at((HEAD - *known).min(rest.len()));
                    for (place, byte) in head.iter_mut().skip(*known).zip(fresh) {
                        *place = *byte;
                    }
                    *known += fresh.len();
                    if *known == HEAD {
                        let payload = FramePayload::of(*head);
                        needs_room |= payload.needs_memory;
                        self.at = payload.at;
                    }
                    behind
                }
                FramePosition::PadLength(length, ends_stream) => {
                    let (padding, behind) = rest
                        .split_first()
                        .map_or((0, rest), |(first, rest)| (*first, rest));
                    let payload = FramePayload::of_padded_data(*length, padding, *ends_stream);
                    needs_room |= payload.needs_memory;
                    self.at = payload.at;
                    behind
                }
                FramePosition::Payload(left, _) => {
                    let here = usize::try_from(*left).unwrap_or(usize::MAX).min(rest.len());
                    *left -= u32::try_from(here).unwrap_or(*left);
                    rest.get(here..).unwrap_or_default()
                }
            };
            if let FramePosition::Payload(0, kind) = self.at {
                self.at = FramePosition::Head([0; HEAD], 0);
                if let Some(kind) = kind
                    && !self.budget(kind).spend()
                {
                    let bytes = bytes.len() - rest.len();
                    return Err(Flood { kind, bytes });
                }
            }
        }
        Ok(needs_room)
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;
    use crate::framing::frame_position::{END_STREAM, PADDED};

    const KINDS: [FrameKind; 6] = [
        FrameKind::Reset,
        FrameKind::Settings,
        FrameKind::Ping,
        FrameKind::WindowUpdate,
        FrameKind::SmallData,
        FrameKind::Other,
    ];

    /// A meter that grants one frame of each kind per second, with a burst of ten.
    fn meter() -> FrameMeter {
        FrameMeter::new(&FrameRates {
            resets: 1,
            settings: 1,
            pings: 1,
            window_updates: 1,
            small_data: 1,
            other_frames: 1,
        })
    }

    fn started(now: Instant) -> FrameMeter {
        let mut meter = meter();
        assert_eq!(meter.follow(PREFACE, now), Ok(false));
        meter
    }

    fn frame(kind: u8, flags: u8, payload: &[u8]) -> Vec<u8> {
        let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
        [&length[1..], &[kind, flags, 0, 0, 0, 1], payload].concat()
    }

    fn of(kind: FrameKind) -> Vec<u8> {
        match kind {
            FrameKind::Reset => frame(3, 0, &[0; 4]),
            FrameKind::Settings => frame(4, 0, &[]),
            FrameKind::Ping => frame(6, 1, &[0; 8]),
            FrameKind::WindowUpdate => frame(8, 0, &[0; 4]),
            FrameKind::SmallData => frame(0, 0, &[0; 63]),
            FrameKind::Other => frame(2, 0, &[0; 5]),
        }
    }

    #[test]
    fn each_kind_has_its_own_budget() {
        let now = Instant::now();
        let mut meter = started(now);
        for kind in KINDS {
            let bytes = of(kind).len();
            assert!(meter.follow(&of(kind).repeat(10), now).is_ok(), "{kind:?}");
            assert_eq!(meter.follow(&of(kind).repeat(2), now), Err(Flood { kind, bytes }));
        }
    }

    #[test]
    fn frames_with_content_are_free() {
        let now = Instant::now();
        let mut meter = started(now);
        for free in [
            frame(0, 0, &[0; 64]),
            frame(0, END_STREAM, &[]),
            frame(1, 4, &[0; 20]),
            frame(9, 0, &[]),
        ] {
            assert!(meter.follow(&free.repeat(1000), now).is_ok(), "{free:?}");
        }
    }

    /// DATA with so many bytes and so much padding.
    fn padded(flags: u8, carried: usize, padding: u8) -> Vec<u8> {
        let payload = [&[padding][..], &vec![0; carried + usize::from(padding)]].concat();
        frame(0, flags | PADDED, &payload)
    }

    #[test]
    fn padding_does_not_count() {
        let now = Instant::now();
        let kind = FrameKind::SmallData;
        for light in [padded(0, 1, 255), padded(0, 63, 0), padded(0, 0, 255)] {
            let mut meter = started(now);
            assert_eq!(meter.follow(&light.repeat(10), now), Ok(true), "{light:?}");
            let bytes = light.len();
            assert_eq!(meter.follow(&light.repeat(2), now), Err(Flood { kind, bytes }));
        }
        for (free, needs_room) in [
            (padded(0, 64, 255), true),
            (padded(0, 256, 1), false),
            (padded(END_STREAM, 0, 255), true),
        ] {
            let mut meter = started(now);
            assert_eq!(meter.follow(&free.repeat(1000), now), Ok(needs_room), "{free:?}");
        }
        // More padding than payload, and padding without a length: errors that the connection ends for.
        for broken in [frame(0, PADDED, &[9, 0]), frame(0, PADDED, &[])] {
            assert_eq!(started(now).follow(&broken, now), Ok(true), "{broken:?}");
        }
    }

    #[test]
    fn reports_frames_that_need_memory() {
        let now = Instant::now();
        for (frame, needs_room) in [
            (frame(1, 4, &[0; 20]), true),
            (frame(9, 4, &[]), false),
            (frame(0, 0, &[0; 255]), true),
            (frame(0, 0, &[0; 256]), false),
            (of(FrameKind::Ping), false),
        ] {
            let stream = [of(FrameKind::Ping), frame].concat();
            let mut meter = started(now);
            assert_eq!(meter.follow(&stream, now), Ok(needs_room), "{stream:?}");
            // The byte that completes the nine decides.
            let (first, rest) = stream.split_at(17 + 8);
            assert_eq!(meter.follow(first, now), Ok(false));
            assert_eq!(meter.follow(rest, now), Ok(needs_room));
        }
    }

    #[test]
    fn budgets_grow_with_time_up_to_ten_seconds() {
        let start = Instant::now();
        let ping = of(FrameKind::Ping);
        for (seconds, granted) in [(0, 0), (1, 1), (3, 3), (10, 10), (1_000_000, 10)] {
            let mut meter = started(start);
            assert_eq!(meter.follow(&ping.repeat(10), start), Ok(false));
            let later = start + Duration::from_secs(seconds);
            assert_eq!(meter.follow(&ping.repeat(granted), later), Ok(false), "{seconds}");
            assert!(meter.follow(&ping, later).is_err(), "{seconds}");
        }
    }

    #[test]
    fn time_counts_in_steps_of_any_size() {
        let start = Instant::now();
        let mut meter = started(start);
        let ping = of(FrameKind::Ping);
        assert_eq!(meter.follow(&ping.repeat(10), start), Ok(false));
        for step in 1..2000 {
            assert_eq!(
                meter.follow(&[], start + Duration::from_micros(step * 500)),
                Ok(false)
            );
        }
        let later = start + Duration::from_secs(1);
        assert_eq!(meter.follow(&ping, later), Ok(false));
        assert!(meter.follow(&ping, later).is_err());
    }

    #[test]
    fn responses_refill_budgets_and_replies_do_not() {
        let now = Instant::now();
        let (ping, update) = (of(FrameKind::Ping), of(FrameKind::WindowUpdate));
        let mut meter = started(now);
        for _ in 0..1000 {
            meter.sent(64);
            assert_eq!(
                meter.follow(&update, now),
                Ok(false),
                "as fast as responses are read"
            );
        }
        let mut meter = started(now);
        let flood = (0..100).position(|_| {
            meter.sent(17);
            meter.follow(&ping, now).is_err()
        });
        assert_eq!(flood, Some(13), "replies to pings pay for a quarter");
    }

    #[test]
    fn the_preface_is_not_a_frame() {
        let now = Instant::now();
        let mut meter = meter();
        let stream = [PREFACE, &of(FrameKind::Settings).repeat(11)].concat();
        let kind = FrameKind::Settings;
        assert_eq!(
            meter.follow(&stream, now),
            Err(Flood {
                kind,
                bytes: stream.len()
            })
        );
    }

    /// The kind of the flood and its position in the stream, which is cut into pieces of these sizes.
    fn flood(stream: &[u8], sizes: &[usize]) -> Option<(FrameKind, usize)> {
        let (mut meter, now, mut at) = (meter(), Instant::now(), 0);
        let mut sizes = sizes.iter().copied().chain(std::iter::repeat(usize::MAX));
        while at < stream.len() {
            let size = sizes.next().unwrap_or(1).clamp(1, stream.len() - at);
            if let Err(flood) = meter.follow(&stream[at..at + size], now) {
                assert!(flood.bytes <= size);
                return Some((flood.kind, at + flood.bytes));
            }
            at += size;
        }
        None
    }

    fn stream() -> impl Strategy<Value = Vec<u8>> {
        let one = prop_oneof![
            6 => (0..11_u8, any::<u8>(), 0..80_usize)
                .prop_map(|(kind, flags, length)| frame(kind, flags, &vec![0; length])),
            1 => proptest::collection::vec(any::<u8>(), 0..20),
        ];
        proptest::collection::vec(one, 0..100).prop_map(|frames| [PREFACE, &frames.concat()].concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn the_verdict_does_not_depend_on_how_bytes_arrive(
            stream in stream(),
            sizes in proptest::collection::vec(1..40_usize, 0..200),
        ) {
            let whole = flood(&stream, &[]);
            prop_assert_eq!(flood(&stream, &sizes), whole);
            prop_assert_eq!(flood(&stream, &vec![1; stream.len()]), whole);
        }
    }
}
