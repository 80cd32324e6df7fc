//! The seals of late, so that none is taken twice.

use std::collections::BTreeSet;

use crate::companion::mark::Seal;

/// The seals that were taken and could still be taken again.
///
/// Only sealed messages are remembered, so a client without the secret cannot fill this memory.
#[derive(Debug, Default)]
pub struct SeenSeals {
    // In the purge of time, so that old ones are found at once.
    taken: BTreeSet<(u64, [u8; 16])>,
}

/// The reason why a sealed message is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SeenFault {
    /// It was taken before.
    #[error("the message was taken before")]
    Replayed,
    /// [`SeenSeals::MOST`] messages came within the time in which a seal holds.
    #[error("too many messages")]
    TooMany,
}

// === impl SeenSeals ===

impl SeenSeals {
    /// The most messages within two minutes, and thereby their rate.
    pub const MOST: usize = 4096;

    /// Takes a seal for the first and only time; `unix_time` is the edge's time in seconds since 1970.
    ///
    /// # Errors
    ///
    /// When it was taken before, or too many were taken of late.
    pub fn take(&mut self, seal: &Seal, unix_time: u64) -> Result<(), SeenFault> {
        self.forget(unix_time);
        let entry = (seal.time, seal.nonce);
        if self.taken.contains(&entry) {
            return Err(SeenFault::Replayed);
        }
        if self.taken.len() >= Self::MOST {
            return Err(SeenFault::TooMany);
        }
        self.taken.insert(entry);
        Ok(())
    }

    /// Forgets the seals that no longer hold.
    fn forget(&mut self, unix_time: u64) {
        let oldest = unix_time.saturating_sub(Seal::SKEW);
        self.taken = self.taken.split_off(&(oldest, [0; 16]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::MarkKey;

    const NOW: u64 = 1_763_769_600;

    fn seal(time: u64, nonce: u128) -> Seal {
        let key = MarkKey::new(b"a secret of thirty-two characters").unwrap();
        let seal = key.seal(b"", time, nonce.to_be_bytes());
        key.open(seal.as_bytes(), time).unwrap()
    }

    #[test]
    fn a_seal_is_taken_once_as_long_as_it_holds() {
        let mut seen = SeenSeals::default();
        assert_eq!(seen.take(&seal(NOW, 1), NOW), Ok(()));
        for later in [0, 1, 60] {
            assert_eq!(seen.take(&seal(NOW, 1), NOW + later), Err(SeenFault::Replayed));
        }
        assert_eq!(seen.take(&seal(NOW, 2), NOW), Ok(()));
        assert_eq!(seen.take(&seal(NOW + 1, 1), NOW), Ok(()));
    }

    #[test]
    fn a_seal_of_the_future_is_remembered_until_it_ends() {
        let mut seen = SeenSeals::default();
        assert_eq!(seen.take(&seal(NOW + 60, 1), NOW), Ok(()));
        assert_eq!(seen.take(&seal(NOW + 60, 1), NOW + 120), Err(SeenFault::Replayed));
    }

    #[test]
    fn the_memory_is_bounded_and_empties_itself() {
        let mut seen = SeenSeals::default();
        for nonce in 0..SeenSeals::MOST as u128 {
            assert_eq!(seen.take(&seal(NOW, nonce), NOW), Ok(()));
        }
        assert_eq!(seen.take(&seal(NOW, u128::MAX), NOW), Err(SeenFault::TooMany));
        assert_eq!(seen.take(&seal(NOW + 61, 1), NOW + 61), Ok(()));
        assert_eq!(seen.taken.len(), 1);
    }
}
