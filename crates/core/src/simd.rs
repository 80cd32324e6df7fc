//! Comparing many bytes at once.

pub(crate) use wide::u8x16 as Lane;

/// Bytes that one instruction compares.
const LANE: usize = 16;

/// The position of the first byte for which `test` answers with ones.
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
    // What stands behind the rest has no meaning.
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

    }
}
