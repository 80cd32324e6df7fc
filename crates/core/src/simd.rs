//! Comparing many bytes at once.

pub(crate) use wide::u8x16 as Lane;

/// Bytes of a block: a bit each in a mask.
pub(crate) const BLOCK: usize = 64;

/// Bytes that one instruction compares.
const LANE: usize = 16;

/// The bytes of a block for which `test` returns ones: a bit each, the first byte's lowest.
#[inline]
pub(crate) fn mask(block: &[u8; BLOCK], test: impl Fn(Lane) -> Lane) -> u64 {
    let (lanes, _) = block.as_chunks::<LANE>();
    let of_lane = |lane: &[u8; LANE]| u64::from(test(Lane::from(*lane)).to_bitmask());
    lanes
        .iter()
        .rev()
        .fold(0, |later, lane| later << LANE | of_lane(lane))
}

/// Returns true if no byte has its highest bit set.
pub(crate) fn is_ascii(bytes: &[u8]) -> bool {
    let (blocks, rest) = bytes.as_chunks::<BLOCK>();
    let highest = |block: &[u8; BLOCK]| {
        let (lanes, _) = block.as_chunks::<LANE>();
        let all = lanes.iter().fold(Lane::ZERO, |all, lane| all | Lane::from(*lane));
        all.to_bitmask()
    };
    blocks.iter().all(|block| highest(block) == 0) && rest.is_ascii()
}

/// The position of the first byte for which `test` returns ones.
#[inline]
pub(crate) fn first(bytes: &[u8], test: impl Fn(Lane) -> Lane) -> Option<usize> {
    let (lanes, rest) = bytes.as_chunks::<LANE>();
    let found = |lane: &[u8; LANE]| test(Lane::from(*lane)).to_bitmask();
    for (lane, start) in lanes.iter().zip((0..).step_by(LANE)) {
        let found = found(lane);
        if found != 0 {
            return Some(start + found.trailing_zeros() as usize);
        }
    }
    let mut last = [0; LANE];
    last.iter_mut().zip(rest).for_each(|(place, byte)| *place = *byte);
    // The bytes behind the rest have no meaning.
    let at = found(&last).trailing_zeros() as usize;
    (at < rest.len()).then(|| bytes.len() - rest.len() + at)
}

/// Ones where a lane has this byte.
#[inline]
pub(crate) fn is(lane: Lane, byte: u8) -> Lane {
    lane.simd_eq(Lane::splat(byte))
}

/// Ones where a lane has a byte up to this one.
#[inline]
pub(crate) fn is_at_most(lane: Lane, most: u8) -> Lane {
    lane.min(Lane::splat(most)).simd_eq(lane)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_first_byte_is_found_where_it_stands(bytes in prop::collection::vec(0..40_u8, 0..100), most in 0..4_u8) {
            let expected = bytes.iter().position(|byte| *byte <= most);
            prop_assert_eq!(first(&bytes, |lane| is_at_most(lane, most)), expected);
        }

        #[test]
        fn other_bytes_than_ascii_are_seen(mut bytes in prop::collection::vec(0..128_u8, 1..200), at: prop::sample::Index, byte: u8) {
            let at = at.index(bytes.len());
            if let Some(place) = bytes.get_mut(at) {
                *place = byte;
            }
            prop_assert_eq!(is_ascii(&bytes), byte.is_ascii());
        }

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
