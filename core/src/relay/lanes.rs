//! Comparing the bytes of a block at once.

pub(super) use wide::u8x16 as Lane;

/// Bytes of a block: a bit each in a mask.
pub(super) const BLOCK: usize = 64;

/// Bytes that one instruction compares.
const LANE: usize = 16;

/// The bytes of a block for which `test` answers with ones: a bit each, the first byte's lowest.
#[inline]
pub(super) fn mask(block: &[u8; BLOCK], test: impl Fn(Lane) -> Lane) -> u64 {
    let (lanes, _) = block.as_chunks::<LANE>();
    let of_lane = |lane: &[u8; LANE]| u64::from(test(Lane::from(*lane)).to_bitmask());
    lanes
        .iter()
        .rev()
        .fold(0, |later, lane| later << LANE | of_lane(lane))
}

/// Ones where a lane has this byte.
#[inline]
pub(super) fn is(lane: Lane, byte: u8) -> Lane {
    lane.simd_eq(Lane::splat(byte))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_byte_has_its_bit(bytes in prop::collection::vec(prop_oneof![Just(b'"'), any::<u8>()], BLOCK)) {
            let block = <[u8; BLOCK]>::try_from(bytes.as_slice()).unwrap();
            let mask = mask(&block, |lane| is(lane, b'"'));
            for (at, byte) in bytes.iter().enumerate() {
                prop_assert_eq!(mask >> at & 1 == 1, *byte == b'"');
            }
        }
    }
}
