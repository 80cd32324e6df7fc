//! The keyed hash by which buckets are known.

#![expect(
    deprecated,
    reason = "edges of different builds must form the same hash: of the standard library's hashes only this one is fixed"
)]

use std::hash::{BuildHasher, RandomState, SipHasher};

/// `SipHash` with a secret key: nobody can choose credentials that share a bucket with another's, and nobody can find
/// credentials in a dump or in the store of a fleet.
#[derive(Debug, Clone)]
pub(super) struct KeyedHash(u64, u64);

// === impl KeyedHash ===

impl KeyedHash {
    /// With a key that this process alone has.
    pub(super) fn random() -> Self {
        let state = RandomState::new();
        Self(state.hash_one(0), state.hash_one(1))
    }

    /// With a key that all edges of a fleet have.
    pub(super) const fn with_key(key: [u8; 16]) -> Self {
        let key = u128::from_le_bytes(key);
        #[expect(clippy::cast_possible_truncation, reason = "each takes its half")]
        Self(key as u64, (key >> 64) as u64)
    }
}

impl BuildHasher for KeyedHash {
    type Hasher = SipHasher;

    fn build_hasher(&self) -> SipHasher {
        SipHasher::new_with_keys(self.0, self.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_with_one_key_agree_and_others_do_not() {
        let of = |hash: KeyedHash| hash.hash_one(("address-lists", "192.0.2.0/24"));
        assert_eq!(of(KeyedHash::with_key([7; 16])), of(KeyedHash::with_key([7; 16])));
        assert_ne!(of(KeyedHash::with_key([7; 16])), of(KeyedHash::with_key([8; 16])));
        assert_ne!(of(KeyedHash::random()), of(KeyedHash::random()));
    }

    #[test]
    fn the_hash_is_that_of_its_authors_paper() {
        use std::hash::Hasher;
        let key: [u8; 16] = std::array::from_fn(|byte| u8::try_from(byte).unwrap());
        let mut hasher = KeyedHash::with_key(key).build_hasher();
        hasher.write(&(0..15).collect::<Vec<u8>>());
        assert_eq!(hasher.finish(), 0xa129_ca61_49be_45e5);
    }
}
