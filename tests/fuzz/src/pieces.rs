//! A text in pieces, as a connection may bring it.

use bytes::Bytes;

/// Pieces of changing sizes, empty ones among them; `size` is that of the first.
pub fn pieces(text: &[u8], size: usize, spread: u8) -> impl Iterator<Item = Bytes> {
    let (mut rest, mut next) = (Bytes::copy_from_slice(text), size);
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let piece = rest.split_to(next.min(rest.len()));
        next = (next.wrapping_mul(7) + usize::from(spread)) % 61 + usize::from(next == 0);
        Some(piece)
    })
}
