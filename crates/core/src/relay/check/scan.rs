//! A fast way to see that bytes are surely one JSON document.

use crate::simd::{self, BLOCK};

/// Deeper documents are left to the full reader.
const DEEPEST: u32 = 64;

/// True if the bytes are one JSON document (RFC 8259) without white space around it; false on any doubt.
///
/// The bytes must be UTF-8. Printed as PHP prints them, responses of WordPress pass here, which costs a fraction of a
/// full reader. Unusual bytes, such as control characters or numbers with exponents, are left to that reader.
pub(super) fn is_surely_document(document: &[u8]) -> bool {
    end_of_document(document) == Some(document.len())
}

/// The bytes that a scan expects at a place.
#[derive(Clone, Copy)]
enum Expected {
    Name,
    Value,
    /// A comma or the end of a container, behind a value.
    Separator,
}

/// The marks of a document: its quotation marks, backslashes and control characters, each once and in order.
///
/// Nothing else can end a string, so a scan goes from mark to mark and passes what lies between unread.
struct Marks<'a> {
    /// Bytes behind the current block.
    ahead: &'a [u8],
    /// The place of the current block.
    block: usize,
    /// The place behind it.
    next: usize,
    /// The marks of the current block that were not given yet: a bit each, the first byte's lowest.
    left: u64,
}

/// The open containers: a bit each, the innermost lowest, set for objects.
#[derive(Default)]
struct Nesting {
    objects: u64,
    depth: u32,
}

/// The place behind the first value; `None` on doubt.
fn end_of_document(document: &[u8]) -> Option<usize> {
    let (mut at, mut expected) = (0, Expected::Value);
    let (mut marks, mut nesting) = (Marks::of(document), Nesting::default());
    loop {
        (at, expected) = match expected {
            Expected::Name => behind_strings(document, &mut marks, at)?,
            Expected::Value => match document.get(at..)? {
                [b'"', ..] => (behind_string(document, &mut marks)?, Expected::Separator),
                [b'{', b'}', ..] | [b'[', b']', ..] => (at + 2, Expected::Separator),
                [b'{', ..] => {
                    nesting.open(1)?;
                    (at + 1, Expected::Name)
                }
                [b'[', ..] => {
                    nesting.open(0)?;
                    (at + 1, Expected::Value)
                }
                value => (document.len() - behind_scalar(value)?.len(), Expected::Separator),
            },
            Expected::Separator if nesting.depth == 0 => return Some(at),
            Expected::Separator => match (document.get(at)?, nesting.is_object()) {
                (b',', true) => (at + 1, Expected::Name),
                (b',', false) => (at + 1, Expected::Value),
                (b'}', true) | (b']', false) => {
                    nesting.close();
                    (at + 1, Expected::Separator)
                }
                _ => return None,
            },
        };
    }
}

/// Passes names and values of an object as long as the values are strings, which most values are.
#[inline]
fn behind_strings(document: &[u8], marks: &mut Marks<'_>, name: usize) -> Option<(usize, Expected)> {
    if document.get(name)? != &b'"' {
        return None;
    }
    loop {
        let colon = behind_string(document, marks)?;
        match document.get(colon..)? {
            [b':', b'"', ..] => {}
            [b':', ..] => return Some((colon + 1, Expected::Value)),
            _ => return None,
        }
        let separator = behind_string(document, marks)?;
        let [b',', b'"', ..] = document.get(separator..)? else {
            return Some((separator, Expected::Separator));
        };
    }
}

/// The place behind the string that begins with the next mark.
///
/// All that stands between strings is read, and no mark is accepted there: the next mark is the string's first.
#[expect(
    clippy::inline_always,
    reason = "the places stay in registers: half the instructions"
)]
#[inline(always)]
fn behind_string(document: &[u8], marks: &mut Marks<'_>) -> Option<usize> {
    marks.next()?;
    loop {
        let mark = marks.next()?;
        match document.get(mark..)? {
            [b'"', ..] => return Some(mark + 1),
            // PHP's usual escape: compared before the others.
            [b'\\', b'/', ..] => {}
            [b'\\', b'"' | b'\\', ..] => _ = marks.next()?,
            [b'\\', escape @ ..] if is_escape(escape) => {}
            _ => return None,
        }
    }
}

// Each of these takes the bytes from a place on, and returns those behind what it is named after; `None` on doubt.

/// A value that is no string and no container.
#[inline]
fn behind_scalar(rest: &[u8]) -> Option<&[u8]> {
    match rest {
        [b't', b'r', b'u', b'e', rest @ ..]
        | [b'f', b'a', b'l', b's', b'e', rest @ ..]
        | [b'n', b'u', b'l', b'l', rest @ ..] => Some(rest),
        signed => behind_number(signed.strip_prefix(b"-").unwrap_or(signed)),
    }
}

/// True if a backslash and these bytes are an escape; not called for a solidus and for marks.
#[inline]
fn is_escape(escape: &[u8]) -> bool {
    match escape {
        [b'b' | b'f' | b'n' | b'r' | b't', ..] => true,
        [b'u', rest @ ..] => rest
            .first_chunk::<4>()
            .is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)),
        _ => false,
    }
}

/// A number without an exponent, from behind its sign. The next byte is checked as the byte behind a value, so an
/// exponent is a doubt.
fn behind_number(digits: &[u8]) -> Option<&[u8]> {
    let rest = match digits {
        [b'0', rest @ ..] => rest,
        [b'1'..=b'9', rest @ ..] => behind_digits(rest),
        _ => return None,
    };
    match rest {
        [b'.', b'0'..=b'9', rest @ ..] => Some(behind_digits(rest)),
        [b'.', ..] => None,
        rest => Some(rest),
    }
}

fn behind_digits(digits: &[u8]) -> &[u8] {
    let mut rest = digits;
    while let [b'0'..=b'9', behind @ ..] = rest {
        rest = behind;
    }
    rest
}

/// The marks of a block: a bit each, the first byte's lowest.
#[inline]
fn marks(block: &[u8; BLOCK]) -> u64 {
    const LAST_CONTROL: u8 = b' ' - 1;
    simd::mask(block, |lane| {
        simd::is(lane, b'"') | simd::is(lane, b'\\') | simd::is_at_most(lane, LAST_CONTROL)
    })
}

// === impl Marks ===

impl<'a> Marks<'a> {
    const fn of(document: &'a [u8]) -> Self {
        Self {
            ahead: document,
            block: 0,
            next: 0,
            left: 0,
        }
    }

    /// The place of the next mark; none behind the last.
    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.left == 0 {
            self.enter_block()?;
        }
        let place = self.block + self.left.trailing_zeros() as usize;
        self.left &= self.left - 1;
        Some(place)
    }

    #[inline]
    fn enter_block(&mut self) -> Option<()> {
        (self.left, self.ahead) = match self.ahead.split_first_chunk() {
            Some((block, ahead)) => (marks(block), ahead),
            None if self.ahead.is_empty() => return None,
            None => (last_marks(self.ahead), &[][..]),
        };
        self.block = self.next;
        self.next += BLOCK;
        Some(())
    }
}

/// The marks of the last bytes, which are fewer than a block.
fn last_marks(bytes: &[u8]) -> u64 {
    let mut block = [b' '; BLOCK];
    for (place, byte) in block.iter_mut().zip(bytes) {
        *place = *byte;
    }
    marks(&block)
}

// === impl Nesting ===

impl Nesting {
    fn open(&mut self, object: u64) -> Option<()> {
        if self.depth == DEEPEST {
            return None;
        }
        self.objects = self.objects << 1 | object;
        self.depth += 1;
        Some(())
    }

    const fn close(&mut self) {
        self.objects >>= 1;
        self.depth -= 1;
    }

    const fn is_object(&self) -> bool {
        self.objects & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::Deserialize;
    use serde::de::IgnoredAny;

    use super::*;

    fn is_read_by_serde(document: &[u8]) -> bool {
        let mut reader = serde_json::Deserializer::from_slice(document);
        IgnoredAny::deserialize(&mut reader).is_ok() && reader.end().is_ok()
    }

    /// JSON with all that may stand in it, printed without blanks.
    fn any_json() -> impl Strategy<Value = String> {
        let scalar = prop_oneof![
            Just("null".to_owned()),
            Just("true".to_owned()),
            Just("false".to_owned()),
            "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,5})?([eE][+-]?[0-9]{1,3})?",
            r#""([ -!#-\[\]-~é€]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4}){0,12}""#,
        ];
        scalar.prop_recursive(6, 64, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(|all| format!("[{}]", all.join(","))),
                prop::collection::vec((r"[a-z\\\\]{0,3}", inner), 0..6).prop_map(|all| {
                    let members = all
                        .iter()
                        .map(|(name, value)| format!("{}:{value}", serde_json::json!(name)));
                    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
                }),
            ]
        })
    }

    proptest! {
        #[test]
        fn only_json_is_surely_a_document(text in r#"[\[\]{}:,"\\/ntrueflsa0-9.eE+ \n\x00é-]{0,24}"#) {
            prop_assert!(!is_surely_document(text.as_bytes()) || is_read_by_serde(text.as_bytes()));
        }

        #[test]
        fn json_with_one_byte_changed(json in any_json(), at: prop::sample::Index, byte: u8) {
            let mut bytes = json.into_bytes();
            let at = at.index(bytes.len());
            if let Some(place) = bytes.get_mut(at) {
                *place = byte;
            }
            prop_assert!(!is_surely_document(&bytes) || is_read_by_serde(&bytes));
        }

        #[test]
        fn json_without_exponents_leaves_no_doubt(json in any_json()) {
            prop_assert!(is_read_by_serde(json.as_bytes()));
            prop_assert!(json.contains(['e', 'E']) || is_surely_document(json.as_bytes()), "{}", json);
        }
    }

    proptest! {
        #[test]
        fn every_mark_is_found_once(document in prop::collection::vec(prop_oneof![any::<u8>(), Just(b'"'), Just(b'\\'), 0..b' ', Just(b'a')], 0..300)) {
            let is_mark = |byte: &u8| *byte < b' ' || matches!(byte, b'"' | b'\\');
            let expected: Vec<usize> = (0..document.len()).filter(|&at| document.get(at).is_some_and(is_mark)).collect();
            let mut marks = Marks::of(&document);
            let found: Vec<usize> = std::iter::from_fn(|| marks.next()).collect();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn recorded_answers_leave_no_doubt() {
        for recorded in [
            include_str!("../../../../../fixtures/backend/event-list-page1.json"),
            include_str!("../../../../../fixtures/backend/event-utf8.json"),
            include_str!("../../../../../fixtures/backend/event-created.json"),
        ] {
            let value: serde_json::Value = serde_json::from_str(recorded).unwrap();
            let printed = value.to_string().replace('/', "\\/");
            assert!(is_surely_document(printed.as_bytes()));
            let (cut, _) = printed.split_at(printed.len() - 1);
            assert!(!is_surely_document(cut.as_bytes()));
        }
    }

    #[test]
    fn deep_documents_are_doubtful() {
        let nested = |depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(is_surely_document(nested(65).as_bytes()));
        assert!(!is_surely_document(nested(66).as_bytes()));
    }
}
