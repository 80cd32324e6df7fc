//! Hashes with a secret key: of one process, or of all edges of a fleet.

#![expect(
    deprecated,
    reason = "only this type of the standard library takes a key, and its algorithm is fixed"
)]

use std::hash::{BuildHasher, RandomState, SipHasher};

/// 64 bits of `SipHash`: no client can choose credentials that share a bucket with another's, and neither names nor
/// addresses are found in a dump or in the store of a fleet.
///
/// The bytes of numbers and texts depend on the kind of machine and on the standard library. Where edges of different
/// builds must agree, hash bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct KeyedHash {
    keys: (u64, u64),
}

// === impl KeyedHash ===

impl KeyedHash {
    /// With a key that this process alone has.
    pub fn random() -> Self {
        let state = RandomState::new();
        Self {
            keys: (state.hash_one(0), state.hash_one(1)),
        }
    }

    /// With this key.
    pub fn new(key: [u8; 16]) -> Self {
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

    #[test]
    fn hashes_with_one_key_agree_and_others_do_not() {
        let of = |hash: KeyedHash| hash.hash_one(("address-lists", "192.0.2.0/24"));
        assert_eq!(of(KeyedHash::new([7; 16])), of(KeyedHash::new([7; 16])));
        assert_ne!(of(KeyedHash::new([7; 16])), of(KeyedHash::new([8; 16])));
        assert_ne!(of(KeyedHash::random()), of(KeyedHash::random()));
    }

    /// The last vector of the reference implementation for inputs of 0 to 8 bytes (`SipHash`, appendix A).
    #[test]
    fn it_is_siphash_2_4() {
        let key = std::array::from_fn(|index| u8::try_from(index).unwrap());
        let input: Vec<u8> = (0..15).collect();
        assert_eq!(KeyedHash::new(key).of(&input), 0xa129_ca61_49be_45e5);
    }
}
