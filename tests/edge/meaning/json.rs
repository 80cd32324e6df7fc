//! `json_decode` for valid texts: its treatment of keys, numbers and duplicates.

use super::php::{Array, Key, Php};

/// The value of a JSON text; none if it is not valid.
pub(super) fn decode(text: &[u8]) -> Option<Php> {
    let mut reader = Reader { text, at: 0 };
    let value = reader.value()?;
    reader.blanks();
    (reader.at == text.len()).then_some(value)
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

// === impl Reader ===

impl Reader<'_> {
    fn blanks(&mut self) {
        while matches!(self.text.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        self.blanks();
        (self.text.get(self.at) == Some(&byte)).then(|| self.at += 1)
    }

    fn value(&mut self) -> Option<Php> {
        self.blanks();
        match self.text.get(self.at)? {
            b'{' => self.object(),
            b'[' => self.list(),
            b'"' => self.string().map(|text| Php::Text(text.into_bytes())),
            b'-' | b'0'..=b'9' => Some(self.number()),
            _ => self.literal(),
        }
    }

    fn object(&mut self) -> Option<Php> {
        let mut members = Array::default();
        self.take(b'{')?;
        if self.take(b'}').is_some() {
            return Some(Php::Array(members));
        }
        loop {
            self.blanks();
            let key = Key::read(self.string()?.as_bytes());
            self.take(b':')?;
            let value = self.value()?;
            members.set(key, value);
            if self.take(b',').is_none() {
                self.take(b'}')?;
                return Some(Php::Array(members));
            }
        }
    }

    fn list(&mut self) -> Option<Php> {
        let mut values = Array::default();
        self.take(b'[')?;
        if self.take(b']').is_some() {
            return Some(Php::Array(values));
        }
        loop {
            values.push(self.value()?);
            if self.take(b',').is_none() {
                self.take(b']')?;
                return Some(Php::Array(values));
            }
        }
    }

    /// Escapes are left to another reader of JSON.
    fn string(&mut self) -> Option<String> {
        let start = self.at;
        self.take(b'"')?;
        while *self.text.get(self.at)? != b'"' {
            self.at += if self.text[self.at] == b'\\' { 2 } else { 1 };
        }
        self.at += 1;
        serde_json::from_slice(self.text.get(start..self.at)?).ok()
    }

    fn number(&mut self) -> Php {
        let rest = &self.text[self.at..];
        let length = rest
            .iter()
            .take_while(|byte| byte.is_ascii_digit() || b"+-.eE".contains(byte))
            .count();
        self.at += length;
        Php::Number(String::from_utf8_lossy(&rest[..length]).into_owned())
    }

    fn literal(&mut self) -> Option<Php> {
        let words = [
            ("true", Php::Bool(true)),
            ("false", Php::Bool(false)),
            ("null", Php::Null),
        ];
        let rest = &self.text[self.at..];
        let starts = |word: &str| rest.starts_with(word.as_bytes());
        let (word, value) = words.into_iter().find(|(word, _)| starts(word))?;
        self.at += word.len();
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_last_of_two_members_and_the_spelling_of_numbers() {
        let decoded = decode(br#" {"a":[1.50,{"0":true}],"b":"\u00e4","a":7e0} "#).expect("JSON");
        let Php::Array(members) = decoded else {
            panic!("an object")
        };
        assert_eq!(members.get("a"), Some(&Php::Number("7e0".to_owned())));
        assert_eq!(members.get("b"), Some(&Php::Text("ä".as_bytes().to_vec())));
        assert_eq!(members.entries().len(), 2);
        assert_eq!(
            decode(br#"{"0":7}"#),
            Some(Php::Array(Array::of([Php::Number("7".to_owned())])))
        );
        assert_eq!(decode(b"{} x"), None);
    }
}
