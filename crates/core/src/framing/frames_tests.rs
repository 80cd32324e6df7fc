//! Budgets of frames, and the verdicts of the meter about whole streams.

use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::framing::frame_position::{END_STREAM, PADDED};

const LIGHT: bool = false;
const HEAVY: bool = true;

const fn flood(kind: FrameKind, bytes: usize) -> FrameFlood {
    FrameFlood { kind, bytes }
}

const KINDS: [FrameKind; 6] = [
    FrameKind::Reset,
    FrameKind::Settings,
    FrameKind::Ping,
    FrameKind::WindowUpdate,
    FrameKind::EmptyData,
    FrameKind::Other,
];

/// A meter that grants one frame per second, with a burst of ten.
fn meter() -> FrameMeter {
    FrameMeter::new(1)
}

fn started(now: Instant) -> FrameMeter {
    let mut meter = meter();
    assert_eq!(meter.follow(PREFACE, now), Ok(LIGHT));
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
        FrameKind::EmptyData => frame(0, 0, &[]),
        FrameKind::SmallData => frame(0, 0, &[0; 63]),
        FrameKind::Other => frame(2, 0, &[0; 5]),
    }
}

#[test]
fn every_kind_is_charged_to_one_budget() {
    let now = Instant::now();
    for kind in KINDS {
        let mut meter = started(now);
        let frame = of(kind);
        let most = match kind {
            FrameKind::Reset | FrameKind::Settings => 2,
            _ => 10,
        };
        assert!(meter.follow(&frame.repeat(most), now).is_ok(), "{kind:?}");
        assert_eq!(meter.follow(&frame, now), Err(flood(kind, frame.len())));
    }
}

#[test]
fn small_pieces_of_bodies_cost_a_fiftieth() {
    let now = Instant::now();
    let (mut meter, piece) = (started(now), of(FrameKind::SmallData));
    assert!(meter.follow(&piece.repeat(500), now).is_ok());
    assert_eq!(
        meter.follow(&piece, now),
        Err(flood(FrameKind::SmallData, piece.len()))
    );
}

#[test]
fn frames_with_content_are_free() {
    let now = Instant::now();
    let mut meter = started(now);
    for free in [
        frame(0, 0, &[0; 64]),
        frame(0, END_STREAM, &[]),
        frame(1, 4, &[0x82; 20]),
        frame(1, 4, &[]),
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
    for (light, kind, frames) in [
        (padded(0, 1, 255), FrameKind::SmallData, 500),
        (padded(0, 63, 0), FrameKind::SmallData, 500),
        (padded(0, 0, 255), FrameKind::EmptyData, 10),
    ] {
        let mut meter = started(now);
        assert_eq!(meter.follow(&light.repeat(frames), now), Ok(HEAVY), "{light:?}");
        let bytes = light.len();
        assert_eq!(meter.follow(&light.repeat(2), now), Err(flood(kind, bytes)));
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
        assert_eq!(started(now).follow(&broken, now), Ok(HEAVY), "{broken:?}");
    }
}

#[test]
fn reports_frames_that_need_memory() {
    let now = Instant::now();
    for (frame, needs_room) in [
        (frame(1, 4, &[0x82; 20]), true),
        (frame(6, 0, &[0; 8]), false),
        (frame(0, 0, &[0; 255]), true),
        (frame(0, 0, &[0; 256]), false),
        (of(FrameKind::Ping), false),
    ] {
        let stream = [of(FrameKind::Ping), frame].concat();
        let mut meter = started(now);
        assert_eq!(meter.follow(&stream, now), Ok(needs_room), "{stream:?}");
        // The byte that completes the nine decides.
        let (first, rest) = stream.split_at(17 + 8);
        assert_eq!(meter.follow(first, now), Ok(LIGHT));
        assert_eq!(meter.follow(rest, now), Ok(needs_room));
    }
}

#[test]
fn budgets_grow_with_time_up_to_ten_seconds() {
    let start = Instant::now();
    let ping = of(FrameKind::Ping);
    for (seconds, granted) in [(0, 0), (1, 1), (3, 3), (10, 10), (1_000_000, 10)] {
        let mut meter = started(start);
        assert_eq!(meter.follow(&ping.repeat(10), start), Ok(LIGHT));
        let later = start + Duration::from_secs(seconds);
        assert_eq!(meter.follow(&ping.repeat(granted), later), Ok(LIGHT), "{seconds}");
        assert!(meter.follow(&ping, later).is_err(), "{seconds}");
    }
}

#[test]
fn time_counts_in_steps_of_any_size() {
    let start = Instant::now();
    let mut meter = started(start);
    let ping = of(FrameKind::Ping);
    assert_eq!(meter.follow(&ping.repeat(10), start), Ok(LIGHT));
    for step in 1..2000 {
        assert_eq!(
            meter.follow(&[], start + Duration::from_micros(step * 500)),
            Ok(LIGHT)
        );
    }
    let later = start + Duration::from_secs(1);
    assert_eq!(meter.follow(&ping, later), Ok(LIGHT));
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
            Ok(LIGHT),
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
    let stream = [PREFACE, &of(FrameKind::Settings).repeat(3)].concat();
    let kind = FrameKind::Settings;
    assert_eq!(meter.follow(&stream, now), Err(flood(kind, stream.len())));
}

/// The frame at which the stream ends, cut into pieces of these sizes, and its position.
fn end(stream: &[u8], sizes: &[usize]) -> Option<(FrameKind, usize)> {
    let (mut meter, now, mut at) = (meter(), Instant::now(), 0);
    let mut sizes = sizes.iter().copied().chain(std::iter::repeat(usize::MAX));
    while at < stream.len() {
        let size = sizes.next().unwrap_or(1).clamp(1, stream.len() - at);
        if let Err(FrameFlood { kind, bytes }) = meter.follow(&stream[at..at + size], now) {
            assert!(bytes <= size);
            return Some((kind, at + bytes));
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
        let whole = end(&stream, &[]);
        prop_assert_eq!(&end(&stream, &sizes), &whole);
        prop_assert_eq!(&end(&stream, &vec![1; stream.len()]), &whole);
    }
}
