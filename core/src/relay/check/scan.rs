//! A fast way to see that bytes are surely one JSON document.

use memchr::memchr2;

/// Deeper documents are left to the full reader.
const DEEPEST: u32 = 64;

/// True if the bytes are one JSON document (RFC 8259) without white space around it; false on any doubt.
///
/// The bytes must be UTF-8. Printed as PHP prints them, answers of WordPress pass here, which costs a fraction of a
/// full reader. What is unusual, such as control characters or numbers with exponents, is left to that reader.
pub(super) fn is_surely_document(document: &[u8]) -> bool {
    let mut scan = Scan {
        rest: document,
        nesting: Nesting::default(),
    };
    scan.document().is_some()
}

/// The bytes that are left, and the containers that are open.
struct Scan<'d> {
    rest: &'d [u8],
    nesting: Nesting,
}

/// The open containers: a bit each, the innermost lowest, set for objects.
#[derive(Default)]
struct Nesting {
    objects: u64,
    depth: u32,
}

// === impl Scan ===

impl Scan<'_> {
    /// `None` on doubt.
    fn document(&mut self) -> Option<()> {
        loop {
            if self.value()? {
                continue;
            }
            if self.after_value()? {
                return self.rest.is_empty().then_some(());
            }
        }
    }

    /// Takes a scalar, an empty container, or the beginning of a container up to its first value.
    ///
    /// True if a container began, so that another value follows.
    fn value(&mut self) -> Option<bool> {
        match self.byte()? {
            b'"' => self.string()?,
            b'{' => {
                if self.take(b'}') {
                    return Some(false);
                }
                self.nesting.open(1)?;
                self.name()?;
                return Some(true);
            }
            b'[' => {
                if self.take(b']') {
                    return Some(false);
                }
                self.nesting.open(0)?;
                return Some(true);
            }
            b't' => self.word(b"rue")?,
            b'f' => self.word(b"alse")?,
            b'n' => self.word(b"ull")?,
            b'-' => {
                let digit = self.byte()?;
                self.number(digit)?;
            }
            digit => self.number(digit)?,
        }
        Some(false)
    }

    /// Closes containers, and takes the comma and the name before the next value.
    ///
    /// True if the outermost value has ended.
    fn after_value(&mut self) -> Option<bool> {
        while self.nesting.depth > 0 {
            match (self.byte()?, self.nesting.is_object()) {
                (b',', true) => return self.name().map(|()| false),
                (b',', false) => return Some(false),
                (b'}', true) | (b']', false) => self.nesting.close(),
                _ => return None,
            }
        }
        Some(true)
    }

    /// The name of a member, with its colon.
    fn name(&mut self) -> Option<()> {
        self.word(b"\"")?;
        self.string()?;
        self.word(b":")
    }

    /// The rest of a string, behind its first quotation mark.
    fn string(&mut self) -> Option<()> {
        loop {
            let end = memchr2(b'"', b'\\', self.rest)?;
            let (text, rest) = self.rest.split_at_checked(end)?;
            if text.iter().any(|byte| *byte < b' ') {
                return None;
            }
            let (mark, rest) = rest.split_first()?;
            self.rest = rest;
            if *mark == b'"' {
                return Some(());
            }
            self.escape()?;
        }
    }

    /// The rest of an escape, behind its backslash.
    fn escape(&mut self) -> Option<()> {
        match self.byte()? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(()),
            b'u' => {
                let (digits, rest) = self.rest.split_at_checked(4)?;
                self.rest = rest;
                digits.iter().all(u8::is_ascii_hexdigit).then_some(())
            }
            _ => None,
        }
    }

    /// The rest of a number without an exponent, behind its first digit.
    fn number(&mut self, first: u8) -> Option<()> {
        match first {
            b'0' => {}
            b'1'..=b'9' => self.skip_digits(),
            _ => return None,
        }
        if self.take(b'.') {
            self.byte().filter(u8::is_ascii_digit)?;
            self.skip_digits();
        }
        // What follows is checked as the byte behind a value, so an exponent is a doubt.
        Some(())
    }

    fn skip_digits(&mut self) {
        let digits = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.rest = self.rest.get(digits..).unwrap_or_default();
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    /// Takes a byte if it is the next one.
    fn take(&mut self, byte: u8) -> bool {
        let rest = self.rest.strip_prefix(&[byte]);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn word(&mut self, word: &[u8]) -> Option<()> {
        self.rest = self.rest.strip_prefix(word)?;
        Some(())
    }
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
