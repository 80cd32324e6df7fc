//! The number of frames without content that a connection may still send.

/// The most seconds of grants that a budget can hold.
const BURST_SECONDS: u64 = 10;

/// The units of one frame. A grant per millisecond is then a whole number of units.
pub(super) const FRAME: u64 = 1000;

/// The units of DATA that carries less than 64 bytes: an upload may come in small pieces, up to 10,000 in a second at the
/// usual rate.
pub(super) const SMALL_DATA: u64 = FRAME / 50;

/// The units of a frame after which much is done anew: a request taken back, or settings.
pub(super) const COSTLY: u64 = FRAME * 4;

/// A token bucket without a clock.
#[derive(Debug, Clone, Copy)]
pub(super) struct FrameBudget {
    per_second: u64,
    left: u64,
}

impl FrameBudget {
    /// A full budget for this many frames per second.
    pub(super) fn full(per_second: u32) -> Self {
        let per_second = u64::from(per_second);
        let left = per_second * BURST_SECONDS * FRAME;
        Self { per_second, left }
    }

    /// Adds the grant for this many milliseconds, and this many frames.
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

    /// Takes so many units; returns false if fewer are left.
    pub(super) const fn spend(&mut self, units: u64) -> bool {
        match self.left.checked_sub(units) {
            Some(left) => {
                self.left = left;
                true
            }
            None => false,
        }
    }
}
