//! Chance for simulations: numbers that are the same in each run.

/// A die with a seed.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    /// From 0 to 1.
    #[expect(clippy::cast_precision_loss, reason = "any number is as good")]
    pub(super) fn roll(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// One of so many sides.
    pub(super) fn side(&mut self, sides: usize) -> usize {
        self.roll();
        usize::try_from(self.0 >> 33).unwrap_or(0) % sides
    }
}
