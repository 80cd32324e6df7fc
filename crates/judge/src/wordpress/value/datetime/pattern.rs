//! A small pattern language for the spellings of dates, matched without backtracking.

/// A pattern of bytes.
///
/// Matching keeps the set of all positions where a match may end, so no input causes exponential time.
#[derive(Clone, Copy)]
pub(super) enum Pattern {
    /// One of these bytes.
    One(&'static [u8]),
    /// These bytes; the case matters.
    Exact(&'static str),
    /// One of these words, in any case.
    Word(&'static [&'static str]),
    /// See [`number`].
    Number {
        digits: (usize, usize),
        values: (u32, u32),
    },
    /// `length.0` to `length.1` bytes of one kind.
    Run {
        of: fn(&u8) -> bool,
        length: (usize, usize),
    },
    /// These patterns, one after the other.
    Sequence(&'static [Pattern]),
    /// Any one of these patterns.
    Either(&'static [Pattern]),
    /// This pattern or nothing.
    Optional(&'static Pattern),
    /// This pattern, once or more.
    Repeat(&'static Pattern),
}

/// A number of `digits.0` to `digits.1` digits, with a value from `values.0` to `values.1`.
pub(super) const fn number(digits: (usize, usize), values: (u32, u32)) -> Pattern {
    Pattern::Number { digits, values }
}

/// So many digits of any value.
pub(super) const fn digits(least: usize, most: usize) -> Pattern {
    Pattern::Run {
        of: u8::is_ascii_digit,
        length: (least, most),
    }
}

// === impl Pattern ===

impl Pattern {
    /// The end of the longest match that begins at `start`.
    pub(super) fn longest(&self, text: &[u8], start: usize) -> Option<usize> {
        self.ends(text, &[start]).last().copied()
    }

    /// True if a match that is not empty may begin with this byte. This test excludes most forms at little
    /// cost.
    pub(super) fn may_begin_with(&self, byte: u8) -> bool {
        match self {
            Self::One(bytes) => bytes.contains(&byte),
            Self::Exact(bytes) => bytes.as_bytes().first() == Some(&byte),
            Self::Word(words) => {
                let begins = |word: &&str| {
                    word.as_bytes()
                        .first()
                        .is_some_and(|first| first.eq_ignore_ascii_case(&byte))
                };
                words.iter().any(begins)
            }
            Self::Number { .. } => byte.is_ascii_digit(),
            Self::Run { of, .. } => of(&byte),
            Self::Sequence(parts) => {
                let optional = parts.iter().take_while(|part| part.may_be_empty()).count();
                parts
                    .iter()
                    .take(optional + 1)
                    .any(|part| part.may_begin_with(byte))
            }
            Self::Either(choices) => choices.iter().any(|choice| choice.may_begin_with(byte)),
            Self::Optional(part) | Self::Repeat(part) => part.may_begin_with(byte),
        }
    }

    fn may_be_empty(&self) -> bool {
        match self {
            Self::One(_) | Self::Exact(_) | Self::Word(_) | Self::Number { .. } => false,
            Self::Run { length, .. } => length.0 == 0,
            Self::Sequence(parts) => parts.iter().all(Self::may_be_empty),
            Self::Either(choices) => choices.iter().any(Self::may_be_empty),
            Self::Optional(_) => true,
            Self::Repeat(part) => part.may_be_empty(),
        }
    }

    /// All positions, in ascending order, where a match that begins at one of `starts` may end.
    fn ends(&self, text: &[u8], starts: &[usize]) -> Vec<usize> {
        let mut ends = Vec::new();
        match self {
            Self::Sequence(parts) => {
                ends = starts.to_vec();
                for part in *parts {
                    ends = part.ends(text, &ends);
                    if ends.is_empty() {
                        break;
                    }
                }
            }
            Self::Either(choices) => {
                for choice in *choices {
                    ends.extend(choice.ends(text, starts));
                }
            }
            Self::Optional(part) => {
                ends.extend(starts);
                ends.extend(part.ends(text, starts));
            }
            Self::Repeat(part) => {
                let mut latest = part.ends(text, starts);
                while !latest.is_empty() {
                    ends.extend(&latest);
                    latest = part.ends(text, &latest);
                }
            }
            Self::One(_) | Self::Exact(_) | Self::Word(_) | Self::Number { .. } | Self::Run { .. } => {
                for &start in starts {
                    self.leaf_ends(text.get(start..).unwrap_or_default(), start, &mut ends);
                }
            }
        }
        ends.sort_unstable();
        ends.dedup();
        ends
    }

    /// Adds the ends of a pattern without parts, matched at the start of `rest`. `start` is the position of
    /// `rest`.
    fn leaf_ends(&self, rest: &[u8], start: usize, ends: &mut Vec<usize>) {
        match self {
            Self::One(bytes) => {
                ends.extend(
                    rest.first()
                        .filter(|byte| bytes.contains(byte))
                        .map(|_| start + 1),
                );
            }
            Self::Exact(bytes) => {
                ends.extend(rest.starts_with(bytes.as_bytes()).then_some(start + bytes.len()));
            }
            Self::Word(words) => {
                let known = words.iter().filter(|word| begins_with_word(rest, word));
                ends.extend(known.map(|word| start + word.len()));
            }
            Self::Number { digits, values } => {
                let mut value = 0;
                for (index, byte) in rest.iter().take(digits.1).enumerate() {
                    let Some(digit) = char::from(*byte).to_digit(10) else {
                        break;
                    };
                    value = value * 10 + digit;
                    if index + 1 >= digits.0 && (values.0..=values.1).contains(&value) {
                        ends.push(start + index + 1);
                    }
                }
            }
            Self::Run { of, length } => {
                let longest = rest.iter().take(length.1).take_while(|byte| of(byte)).count();
                ends.extend((length.0..=longest).map(|length| start + length));
            }
            Self::Sequence(_) | Self::Either(_) | Self::Optional(_) | Self::Repeat(_) => {}
        }
    }
}

/// True if the text begins with the word, in any case.
fn begins_with_word(text: &[u8], word: &str) -> bool {
    text.get(..word.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::Pattern::{Exact, Number, One, Optional, Repeat, Run, Sequence, Word};
    use super::*;

    const HOUR: Pattern = Number {
        digits: (1, 2),
        values: (0, 24),
    };

    #[test]
    fn takes_the_longest_match() {
        let clock = Sequence(&[Word(&["at"]), HOUR, Optional(&Sequence(&[One(b":."), HOUR]))]);
        let cases = [
            ("at9", Some(3)),
            ("AT25", Some(3)),
            ("at12:3", Some(6)),
            ("at12:", Some(4)),
            ("at", None),
            ("", None),
        ];
        for (text, end) in cases {
            assert_eq!(clock.longest(text.as_bytes(), 0), end, "{text}");
        }
    }

    #[test]
    fn knows_how_a_match_may_begin() {
        let clock = Sequence(&[Optional(&Word(&["at"])), HOUR]);
        let begins: Vec<char> = (' '..='~')
            .filter(|&c| u8::try_from(c).is_ok_and(|byte| clock.may_begin_with(byte)))
            .collect();
        assert_eq!(begins.into_iter().collect::<String>(), "0123456789Aa");
    }

    #[test]
    fn leaves_bytes_for_later_parts() {
        const DIGITS: Pattern = Run {
            of: u8::is_ascii_digit,
            length: (1, usize::MAX),
        };
        let pattern = Sequence(&[Repeat(&Exact("ab")), Exact("abc")]);
        assert_eq!(pattern.longest(b"abababc", 0), Some(7));
        assert_eq!(Repeat(&DIGITS).longest(b"x123", 1), Some(4));
    }
}
