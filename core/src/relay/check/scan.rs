//! A fast way to see that bytes are surely one JSON document.

/// Deeper documents are left to the full reader.
const DEEPEST: u32 = 64;

/// Bytes of a string that are looked at together.
const WORD: usize = size_of::<u64>();

/// A word of ones, a byte each.
const ONES: u64 = u64::from_le_bytes([1; WORD]);

/// True if the bytes are one JSON document (RFC 8259) without white space around it; false on any doubt.
///
/// The bytes must be UTF-8. Printed as PHP prints them, answers of WordPress pass here, which costs a fraction of a
/// full reader. What is unusual, such as control characters or numbers with exponents, is left to that reader.
pub(super) fn is_surely_document(document: &[u8]) -> bool {
    rest_of_document(document).is_some_and(<[u8]>::is_empty)
}

/// The open containers: a bit each, the innermost lowest, set for objects.
#[derive(Default)]
struct Nesting {
    objects: u64,
    depth: u32,
}

// Each of these takes the bytes from a place on, and returns those behind what it is named after; `None` on doubt. The
// bytes are passed by value, so that the loop over a document keeps its place in registers.

fn rest_of_document(document: &[u8]) -> Option<&[u8]> {
    let (mut rest, mut nesting) = (document, Nesting::default());
    let mut is_name = false;
    loop {
        // Names and values share the scan of a string, so that the compiler can put it here and not behind a call.
        rest = if let [b'"', text @ ..] = rest {
            let behind = string(text)?;
            if is_name {
                is_name = false;
                rest = behind.strip_prefix(b":")?;
                continue;
            }
            behind
        } else if is_name {
            return None;
        } else {
            match rest {
                [b'{', b'}', rest @ ..] | [b'[', b']', rest @ ..] => rest,
                [b'{', inner @ ..] => {
                    nesting.open(1)?;
                    rest = inner;
                    is_name = true;
                    continue;
                }
                [b'[', inner @ ..] => {
                    nesting.open(0)?;
                    rest = inner;
                    continue;
                }
                _ => scalar(rest)?,
            }
        };
        while nesting.depth > 0 {
            match (rest, nesting.is_object()) {
                ([b',', next @ ..], object) => {
                    rest = next;
                    is_name = object;
                    break;
                }
                ([b'}', behind @ ..], true) | ([b']', behind @ ..], false) => {
                    nesting.close();
                    rest = behind;
                }
                _ => return None,
            }
        }
        if nesting.depth == 0 {
            return Some(rest);
        }
    }
}

/// A value that is no string and no container.
#[inline]
fn scalar(rest: &[u8]) -> Option<&[u8]> {
    match rest {
        [b't', b'r', b'u', b'e', rest @ ..]
        | [b'f', b'a', b'l', b's', b'e', rest @ ..]
        | [b'n', b'u', b'l', b'l', rest @ ..] => Some(rest),
        signed => number(signed.strip_prefix(b"-").unwrap_or(signed)),
    }
}

/// A string, from behind its first quotation mark.
fn string(text: &[u8]) -> Option<&[u8]> {
    let mut rest = text;
    loop {
        if let Some((word, behind)) = rest.split_first_chunk::<WORD>() {
            let plain = plain_bytes(*word);
            if plain == WORD {
                rest = behind;
                continue;
            }
            rest = rest.get(plain..)?;
        }
        rest = match rest {
            [b'"', behind @ ..] => return Some(behind),
            [b'\\', escape @ ..] => behind_escape(escape)?,
            // One of the last bytes, which are fewer than a word.
            [plain, behind @ ..] if *plain >= b' ' => behind,
            _ => return None,
        }
    }
}

/// An escape, from behind its backslash.
#[inline]
fn behind_escape(escape: &[u8]) -> Option<&[u8]> {
    match escape {
        [b'/' | b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't', rest @ ..] => Some(rest),
        [b'u', rest @ ..] => {
            let (digits, rest) = rest.split_first_chunk::<4>()?;
            digits.iter().all(u8::is_ascii_hexdigit).then_some(rest)
        }
        _ => None,
    }
}

/// A number without an exponent, from behind its sign. What follows is checked as the byte behind a value, so an
/// exponent is a doubt.
fn number(digits: &[u8]) -> Option<&[u8]> {
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

/// The number of first bytes that are no quotation mark, no backslash and no control character.
///
/// Subtracting from all bytes at once may borrow from the byte above, so only the lowest mark is exact.
fn plain_bytes(word: [u8; WORD]) -> usize {
    let word = u64::from_le_bytes(word);
    let below = |bytes: u64, limit: u8| bytes.wrapping_sub(ONES * u64::from(limit)) & !bytes;
    let is_byte = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
    let marks = (below(word, b' ') | is_byte(b'"') | is_byte(b'\\')) & (ONES << 7);
    marks.trailing_zeros() as usize / WORD
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
        fn bytes_before_a_mark_are_counted(word: [u8; WORD], mark in prop::sample::select(b"\"\\\0\n\x1f".to_vec()), at in 0..=WORD) {
            let mut word = word;
            if let Some(place) = word.get_mut(at) {
                *place = mark;
            }
            let is_plain = |byte: &&u8| **byte >= b' ' && !matches!(byte, b'"' | b'\\');
            prop_assert_eq!(plain_bytes(word), word.iter().take_while(is_plain).count());
        }
    }

    #[test]
    fn recorded_answers_leave_no_doubt() {
        for recorded in [
            include_str!("../../../../fixtures/backend/event-list-page1.json"),
            include_str!("../../../../fixtures/backend/event-utf8.json"),
            include_str!("../../../../fixtures/backend/event-created.json"),
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
