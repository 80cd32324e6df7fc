//! The fields of a client's HTTP/2 requests, as far as a fragment in `:path` needs them (RFC 7541).
//!
//! The library behind the edge cuts a fragment off `:path`, so nothing later can refuse it. In the compressed fields a
//! number sign becomes `>`, which the library refuses: it resets the stream. Both codes have twelve bits and differ in
//! the last, so nothing moves, and the sizes of all entries stay what the client takes them for.

use super::dynamic_table::{DynamicTable, FieldName, PATH};
use super::huffman::{Code, HuffmanBits};

/// The Huffman codes of `:path`.
const PATH_CODES: [Code; 5] = [
    Code(0x5c, 7),
    Code(0x2b, 6),
    Code(0x3, 5),
    Code(0x9, 5),
    Code(0x27, 6),
];

/// The Huffman code of the number sign.
const NUMBER_SIGN: Code = Code(0xffa, 12);

/// More bytes of one number than the library reads.
const LONGEST_NUMBER: u32 = 28;

/// Fields that no decoder can read, or that the library reads in another way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BrokenFields;

/// Follows the fields of all requests of a connection.
#[derive(Debug, Clone)]
pub(super) struct FieldFollower {
    table: DynamicTable,
    at: FieldPosition,
    /// The field that is being read.
    field: Field,
    /// True at the beginning of a block, where the client may change the size of the table.
    may_resize: bool,
}

/// The place of the next byte.
#[derive(Debug, Clone, Copy)]
enum FieldPosition {
    /// A field begins.
    Start,
    /// A number goes on: its value up to here, and the bits that the next byte is shifted by.
    Number(u32, u32, Meaning),
    /// The length of a text begins.
    Length(TextPart),
    /// A text.
    Text(Text),
}

/// What a number means.
#[derive(Debug, Clone, Copy)]
enum Meaning {
    /// The index of a whole field.
    Index,
    /// The index of a name; 0 if the name follows.
    Name,
    /// The size of the table.
    TableSize,
    /// The length of a text in bytes, and whether they are Huffman codes.
    Length(TextPart, bool),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextPart {
    Name,
    Value,
}

#[derive(Debug, Clone, Copy, Default)]
struct Field {
    name: FieldName,
    /// True if the field becomes an entry of the table.
    is_kept: bool,
}

/// A text of which bytes are left.
#[derive(Debug, Clone, Copy)]
struct Text {
    part: TextPart,
    left: u32,
    bits: Option<HuffmanBits>,
    /// Symbols that were read.
    symbols: u32,
    /// True as long as the symbols are those of `:path`.
    is_path: bool,
}

// === impl FieldFollower ===

impl FieldFollower {
    pub(super) fn new() -> Self {
        Self {
            table: DynamicTable::new(),
            at: FieldPosition::Start,
            field: Field::default(),
            may_resize: true,
        }
    }

    /// Begins the fields of a request.
    pub(super) const fn begin(&mut self) {
        self.may_resize = true;
    }

    /// True if no field is cut off here.
    pub(super) const fn may_end(&self) -> bool {
        matches!(self.at, FieldPosition::Start)
    }

    /// Follows the next bytes; returns true if a path in them had a fragment, which it marks.
    pub(super) fn follow(&mut self, mut bytes: &mut [u8]) -> Result<bool, BrokenFields> {
        let mut has_fragment = false;
        while !bytes.is_empty() {
            let unread = self.skip(bytes.len())?;
            let (_, behind) = bytes.split_at_mut(unread);
            if let Some((byte, behind)) = behind.split_first_mut() {
                has_fragment |= self.step(byte)?;
                bytes = behind;
            } else {
                return Ok(has_fragment);
            }
        }
        Ok(has_fragment)
    }

    /// Passes the bytes of a text that need no reading; returns how many of the given ones.
    fn skip(&mut self, given: usize) -> Result<usize, BrokenFields> {
        let FieldPosition::Text(text) = &mut self.at else {
            return Ok(0);
        };
        if self.field.needs(text) {
            return Ok(0);
        }
        let skipped = text.left.min(u32::try_from(given).unwrap_or(u32::MAX));
        text.left -= skipped;
        if text.left == 0 {
            let text = *text;
            self.end_text(&text)?;
        }
        Ok(usize::try_from(skipped).unwrap_or(given))
    }

    fn step(&mut self, byte: &mut u8) -> Result<bool, BrokenFields> {
        match self.at {
            FieldPosition::Start => self.start(*byte)?,
            FieldPosition::Number(value, shift, meaning) => {
                let value = value + (u32::from(*byte & 0x7f) << shift);
                if *byte & 0x80 == 0 {
                    self.number(value, meaning)?;
                } else if shift + 7 < LONGEST_NUMBER {
                    self.at = FieldPosition::Number(value, shift + 7, meaning);
                } else {
                    return Err(BrokenFields);
                }
            }
            FieldPosition::Length(part) => {
                let is_huffman = *byte & 0x80 != 0;
                self.prefix(*byte, 7, Meaning::Length(part, is_huffman))?;
            }
            FieldPosition::Text(mut text) => {
                let has_fragment = text.read(byte, self.field.name.is_path)?;
                self.at = FieldPosition::Text(text);
                if text.left == 0 {
                    self.end_text(&text)?;
                }
                return Ok(has_fragment);
            }
        }
        Ok(false)
    }

    /// The first byte of a field (RFC 7541 6).
    fn start(&mut self, byte: u8) -> Result<(), BrokenFields> {
        let (bits, meaning) = match byte.leading_zeros() {
            0 => (7, Meaning::Index),
            1 => (6, Meaning::Name),
            2 if self.may_resize => return self.prefix(byte, 5, Meaning::TableSize),
            2 => return Err(BrokenFields),
            _ => (4, Meaning::Name),
        };
        self.may_resize = false;
        self.field = Field {
            is_kept: bits == 6,
            ..Field::default()
        };
        self.prefix(byte, bits, meaning)
    }

    /// A number that begins in the lowest bits of a byte (RFC 7541 5.1).
    fn prefix(&mut self, byte: u8, bits: u32, meaning: Meaning) -> Result<(), BrokenFields> {
        let full = (1 << bits) - 1;
        let value = u32::from(byte) & full;
        if value < full {
            return self.number(value, meaning);
        }
        self.at = FieldPosition::Number(value, 0, meaning);
        Ok(())
    }

    fn number(&mut self, value: u32, meaning: Meaning) -> Result<(), BrokenFields> {
        self.at = match meaning {
            Meaning::Index => {
                self.table.name(value).ok_or(BrokenFields)?;
                FieldPosition::Start
            }
            Meaning::Name if value == 0 => FieldPosition::Length(TextPart::Name),
            Meaning::Name => {
                self.field.name = self.table.name(value).ok_or(BrokenFields)?;
                FieldPosition::Length(TextPart::Value)
            }
            Meaning::TableSize if self.table.resize(value) => FieldPosition::Start,
            Meaning::TableSize => return Err(BrokenFields),
            Meaning::Length(part, is_huffman) => {
                let text = Text::new(part, value, is_huffman);
                if value == 0 {
                    return self.end_text(&text);
                }
                FieldPosition::Text(text)
            }
        };
        Ok(())
    }

    fn end_text(&mut self, text: &Text) -> Result<(), BrokenFields> {
        if text.bits.is_some_and(|bits| !bits.may_end()) {
            return Err(BrokenFields);
        }
        self.at = match text.part {
            TextPart::Name => {
                self.field.name = text.name();
                FieldPosition::Length(TextPart::Value)
            }
            TextPart::Value => {
                if self.field.is_kept {
                    self.table.insert(self.field.name, text.symbols);
                }
                FieldPosition::Start
            }
        };
        Ok(())
    }
}

// === impl Field ===

impl Field {
    /// True if the bytes of a text say more than their number does.
    fn needs(&self, text: &Text) -> bool {
        let counts = self.is_kept && text.bits.is_some();
        counts || self.name.is_path || text.part == TextPart::Name
    }
}

// === impl Text ===

impl Text {
    fn new(part: TextPart, bytes: u32, is_huffman: bool) -> Self {
        Self {
            part,
            left: bytes,
            bits: is_huffman.then(HuffmanBits::default),
            // Without a code each byte is a symbol, whether it is read or not.
            symbols: if is_huffman { 0 } else { bytes },
            is_path: true,
        }
    }

    /// Reads the next byte. In the value of a path it marks a number sign, and returns true.
    fn read(&mut self, byte: &mut u8, is_path: bool) -> Result<bool, BrokenFields> {
        let seeks = is_path && self.part == TextPart::Value;
        let Some(mut bits) = self.bits else {
            self.compare(self.symbols - self.left, |at| PATH.get(at) == Some(&*byte));
            self.left -= 1;
            let is_sign = seeks && *byte == b'#';
            if is_sign {
                *byte = b'>';
            }
            return Ok(is_sign);
        };
        let mut has_fragment = false;
        bits.push(*byte);
        while let Some(code) = bits.take() {
            if code.is_end_of_string() {
                return Err(BrokenFields);
            }
            self.compare(self.symbols, |at| PATH_CODES.get(at) == Some(&code));
            self.symbols = self.symbols.saturating_add(1);
            if seeks && code == NUMBER_SIGN {
                *byte ^= 1 << bits.place();
                has_fragment = true;
            }
        }
        self.left -= 1;
        self.bits = Some(bits);
        Ok(has_fragment)
    }

    /// Compares one symbol with that of `:path`.
    fn compare(&mut self, at: u32, is_equal: impl FnOnce(usize) -> bool) {
        self.is_path = self.is_path && usize::try_from(at).is_ok_and(is_equal);
    }

    /// The name that was read.
    fn name(&self) -> FieldName {
        let is_long = usize::try_from(self.symbols).is_ok_and(|symbols| symbols == PATH.len());
        FieldName {
            length: self.symbols,
            is_path: self.is_path && is_long,
        }
    }
}

#[cfg(test)]
#[path = "hpack_tests.rs"]
mod tests;
