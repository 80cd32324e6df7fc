//! Where a JSON value ends, in bytes that arrive in pieces.

/// A JSON value that is being passed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct ValueScan {
    depth: u32,
    in_text: bool,
    is_escaped: bool,
    has_begun: bool,
}

// === impl ValueScan ===

impl ValueScan {
    /// The rest of a list whose first bracket was read.
    pub(super) const fn in_list() -> Self {
        Self {
            depth: 1,
            in_text: false,
            is_escaped: false,
            has_begun: true,
        }
    }

    /// The number of bytes up to the end of the value; none: it goes on behind this text.
    pub(super) fn end(&mut self, text: &[u8]) -> Option<usize> {
        for (at, byte) in text.iter().enumerate() {
            if self.in_text {
                if self.passes_in_text(*byte) {
                    return Some(at + 1);
                }
                continue;
            }
            match byte {
                b'"' => self.in_text = true,
                b'[' | b'{' => self.depth += 1,
                b']' | b'}' if self.depth > 1 => self.depth -= 1,
                b']' | b'}' if self.depth == 1 => return Some(at + 1),
                // Behind a number or a literal.
                b']' | b'}' | b',' if self.depth == 0 => return Some(at),
                b' ' | b'\t' | b'\n' | b'\r' if self.depth == 0 && self.has_begun => return Some(at),
                b' ' | b'\t' | b'\n' | b'\r' => continue,
                _ => {}
            }
            self.has_begun = true;
        }
        None
    }

    /// Passes a byte of a text, and returns true if it ends a value that is a text.
    fn passes_in_text(&mut self, byte: u8) -> bool {
        if self.is_escaped {
            self.is_escaped = false;
        } else if byte == b'\\' {
            self.is_escaped = true;
        } else if byte == b'"' {
            self.in_text = false;
            return self.depth == 0;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_ends_where_json_says_in_whatever_pieces() {
        for (text, value) in [
            (r#"[] ,"a""#, "[]"),
            (r#"{"a":["]",{"b":"}\""}]},1"#, r#"{"a":["]",{"b":"}\""}]}"#),
            (r#"  "a\\",2"#, r#"  "a\\""#),
            ("false}", "false"),
            ("-1.5e3,", "-1.5e3"),
            ("null \n}", "null"),
        ] {
            assert_eq!(
                ValueScan::default().end(text.as_bytes()),
                Some(value.len()),
                "{text}"
            );
            for cut in 0..value.len() {
                let (first, rest) = text.as_bytes().split_at(cut);
                let mut scan = ValueScan::default();
                assert_eq!(scan.end(first), None, "{text} {cut}");
                assert_eq!(scan.end(rest), Some(value.len() - cut), "{text} {cut}");
            }
        }
    }

    #[test]
    fn the_rest_of_a_list_ends_with_its_bracket() {
        assert_eq!(ValueScan::in_list().end(br#",{"a":[1]}],"b""#), Some(11));
    }
}
