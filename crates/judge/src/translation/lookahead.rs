//! The first byte behind white space, in bytes that arrive in pieces.

/// The white space that is looked over in one place: WordPress indents by four blanks a level.
pub(super) const BLANKS: usize = 64;

/// The first byte behind a place that is no white space.
pub(super) enum Lookahead {
    /// The byte, and its position.
    At(usize, u8),
    /// The text ends before it.
    Open,
    /// It is behind more white space than is looked over.
    Far,
}

/// Looks for it from a place on.
pub(super) fn next_byte(text: &[u8], from: usize) -> Lookahead {
    let rest = text.get(from..).unwrap_or_default();
    let mut near = rest.iter().take(BLANKS + 1).enumerate();
    match near.find(|(_, byte)| !byte.is_ascii_whitespace()) {
        Some((blanks, sign)) => Lookahead::At(from + blanks, *sign),
        None if rest.len() > BLANKS => Lookahead::Far,
        None => Lookahead::Open,
    }
}
