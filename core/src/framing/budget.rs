//! How many frames of a kind a connection may still send.

/// A budget holds what is granted in this many seconds.
const BURST_SECONDS: u64 = 10;

/// Parts of a frame in which a budget is counted, so that a grant for each millisecond is a whole number.
const FRAME: u64 = 1000;

/// A token bucket, without a clock.
#[derive(Debug, Clone, Copy)]
pub(super) struct FrameBudget {
    per_second: u64,
    left: u64,
}

impl FrameBudget {
    /// Whole, for so many frames a second.
    pub(super) fn full(per_second: u32) -> Self {
        let per_second = u64::from(per_second);
        let left = per_second * BURST_SECONDS * FRAME;
        Self { per_second, left }
    }

    /// Adds what so many milliseconds grant, and so many frames.
    pub(super) fn grant(&mut self, milliseconds: u64, frames: u64) {
        let most = self.per_second * BURST_SECONDS * FRAME;
        let by_time = self.per_second.saturating_mul(milliseconds);
        let by_bytes = frames.saturating_mul(FRAME);
        self.left = self
            .left
            .saturating_add(by_time)
            .saturating_add(by_bytes)
            .min(most);
    }

    /// Takes one frame; false where none is left.
    pub(super) const fn spend(&mut self) -> bool {
        match self.left.checked_sub(FRAME) {
            Some(left) => {
                self.left = left;
                true
            }
            None => false,
        }
    }
}
