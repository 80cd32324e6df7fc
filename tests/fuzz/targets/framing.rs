//! A connection's bytes: the verdict does not depend on how they arrive, and nobody passes more than he was shown.

#![no_main]

use std::time::Instant;

use calendar_edge_core::framing::{Breached, FrameKind, FrameMeter, Inspector, Step};
use calendar_edge_core::settings::Limits;
use libfuzzer_sys::fuzz_target;

/// How the bytes end.
#[derive(Debug, PartialEq, Eq)]
enum End {
    Unfinished,
    Breach(Breached),
    Frames(FrameKind),
}

/// Shows the stream in pieces of one size: how many bytes passed, how many heads were among them, and the end.
fn verdict(stream: &[u8], size: usize) -> (usize, usize, End) {
    let mut inspector = Inspector::new(&Limits::default());
    let (mut passed, mut heads) = (0, 0);
    for shown in (0..stream.len()).step_by(size) {
        let shown = (shown + size).min(stream.len());
        while passed < shown {
            match inspector.inspect(&stream[passed..shown]) {
                Ok(Step::Unfinished) => break,
                Ok(Step::Head(head)) => {
                    heads += 1;
                    passed += head.bytes;
                }
                Ok(Step::Body(bytes)) => passed += bytes,
                Ok(Step::Multiplexed) => {
                    let (metered, end) = metered(&stream[passed..], size);
                    return (passed + metered, heads, end);
                }
                Err(breached) => return (passed, heads, End::Breach(breached)),
            }
            assert!(passed <= shown, "no byte passes unseen");
        }
    }
    (passed, heads, End::Unfinished)
}

fn metered(stream: &[u8], size: usize) -> (usize, End) {
    let (mut meter, now, mut passed) = (FrameMeter::new(1), Instant::now(), 0);
    for piece in stream.chunks(size) {
        if let Err(flood) = meter.follow(piece, now) {
            assert!(flood.bytes <= piece.len());
            return (passed + flood.bytes, End::Frames(flood.kind));
        }
        passed += piece.len();
    }
    (passed, End::Unfinished)
}

fuzz_target!(|input: &[u8]| {
    let Some((&size, stream)) = input.split_first() else {
        return;
    };
    let whole = verdict(stream, stream.len().max(1));
    assert_eq!(verdict(stream, usize::from(size).max(1)), whole);
    assert_eq!(verdict(stream, 1), whole);
});
