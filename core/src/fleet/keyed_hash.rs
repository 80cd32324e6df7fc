//! One hash for all edges of a fleet: 64 bits of SipHash, keyed by the secret.

#![expect(
    deprecated,
    reason = "only this type of the standard library takes a key, and its algorithm is fixed"
)]

use std::hash::{BuildHasher, SipHasher};

/// Hashes names and addresses, so that neither reaches the store and all edges form the same key.
///
/// Write bytes, not numbers or texts: how those are written depends on the machine and on the standard library.
#[derive(Clone, Copy)]
pub struct KeyedHash {
    keys: (u64, u64),
}

// === impl KeyedHash ===

impl KeyedHash {
    /// The hash under a key.
    pub(super) fn new(key: [u8; 16]) -> Self {
        let number = u128::from_le_bytes(key);
        let low = u64::try_from(number & u128::from(u64::MAX)).unwrap_or_default();
        let high = u64::try_from(number >> 64).unwrap_or_default();
        Self { keys: (low, high) }
    }

    /// The hash of these bytes.
    pub fn of(&self, bytes: &[u8]) -> u64 {
        use std::hash::Hasher as _;
        let mut hasher = self.build_hasher();
        hasher.write(bytes);
        hasher.finish()
    }
}

impl BuildHasher for KeyedHash {
    type Hasher = SipHasher;

    fn build_hasher(&self) -> SipHasher {
        SipHasher::new_with_keys(self.keys.0, self.keys.1)
    }
}

impl std::fmt::Debug for KeyedHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("KeyedHash(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The last vector of the reference implementation for inputs of 0 to 8 bytes (SipHash, appendix A).
    #[test]
    fn it_is_siphash_2_4() {
        let key = std::array::from_fn(|index| u8::try_from(index).unwrap());
        let input: Vec<u8> = (0..15).collect();
        assert_eq!(KeyedHash::new(key).of(&input), 0xa129_ca61_49be_45e5);
    }
}
