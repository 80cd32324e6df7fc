//! A connection's bytes: the verdict does not depend on how they arrive, and nobody passes more than he was shown.

#![no_main]

use std::time::Instant;

use calendar_edge_core::framing::{Breached, FrameBreach, FrameMeter, Inspector, Step};
use calendar_edge_core::settings::{FrameRates, Limits};
use libfuzzer_sys::fuzz_target;

/// How the bytes end.
#[derive(Debug, PartialEq, Eq)]
enum End {
    Unfinished,
    Breach(Breached),
    Frames(FrameBreach),
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
    let rates = FrameRates {
        resets: 1,
        settings: 1,
        pings: 1,
        window_updates: 1,
        small_data: 1,
        other_frames: 1,
    };
    let (mut meter, now, mut passed) = (FrameMeter::new(&rates), Instant::now(), 0);
    for piece in stream.chunks(size) {
        if let Err(ended) = meter.follow(&mut piece.to_vec(), now) {
            assert!(ended.bytes <= piece.len());
            let passed = match ended.breach {
                FrameBreach::Flood(_) => passed + ended.bytes,
                // What passes of broken fields depends on the pieces.
                FrameBreach::Fields => 0,
            };
            return (passed, End::Frames(ended.breach));
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
