//! Blocks of fields as a client writes them: after the follower they are those of the same fields with `>` for `#` in paths.

use std::collections::VecDeque;

use proptest::prelude::*;

use super::*;

/// Symbols with codes of many lengths (RFC 7541 appendix B).
const SYMBOLS: [(u8, u32, u32); 21] = [
    (b'0', 0x0, 5),
    (b'a', 0x3, 5),
    (b'e', 0x5, 5),
    (b't', 0x9, 5),
    (b'/', 0x18, 6),
    (b'g', 0x26, 6),
    (b'h', 0x27, 6),
    (b'p', 0x2b, 6),
    (b':', 0x5c, 7),
    (b'x', 0x79, 7),
    (b'&', 0xf8, 8),
    (b'!', 0x3f8, 10),
    (b'+', 0x7fb, 11),
    (b'#', 0xffa, 12),
    (b'>', 0xffb, 12),
    (b'$', 0x1ff9, 13),
    (b'^', 0x3ffc, 14),
    (b'<', 0x7ffc, 15),
    (b'\\', 0x7fff0, 19),
    (0xf9, 0x0fff_fffe, 28),
    (b'\n', 0x3fff_fffc, 30),
];

/// How a client writes one field.
#[derive(Debug, Clone)]
struct WrittenField {
    name: Vec<u8>,
    value: Vec<u8>,
    /// The bits before the index: with indexing, without, never.
    form: u8,
    /// True if the name is written as an index where one is known.
    is_referred: bool,
    are_huffman: [bool; 2],
}

/// A client's encoder, with the text of its entries.
#[derive(Debug, Default)]
struct ClientEncoder {
    entries: VecDeque<(Vec<u8>, Vec<u8>)>,
    bytes: Vec<u8>,
}

impl ClientEncoder {
    fn field(&mut self, field: &WrittenField) {
        let (bits, mark) = [(6, 0x40), (4, 0), (4, 0x10)][usize::from(field.form)];
        let index = field.is_referred.then(|| self.index(&field.name)).flatten();
        self.number(mark, bits, index.unwrap_or(0));
        if index.is_none() {
            self.text(&field.name, field.are_huffman[0]);
        }
        self.text(&field.value, field.are_huffman[1]);
        if field.form == 0 {
            self.insert(field);
        }
    }

    fn index(&self, name: &[u8]) -> Option<usize> {
        let entry = self.entries.iter().position(|(known, _)| known == name);
        let fixed = match name {
            b":path" => Some(4),
            b"age" => Some(21),
            _ => None,
        };
        entry.map(|at| at + 62).or(fixed)
    }

    fn insert(&mut self, field: &WrittenField) {
        self.entries.push_front((field.name.clone(), field.value.clone()));
        let size = |(name, value): &(Vec<u8>, Vec<u8>)| name.len() + value.len() + 32;
        while self.entries.iter().map(size).sum::<usize>() > 4096 {
            self.entries.pop_back();
        }
    }

    fn number(&mut self, mark: u8, bits: u32, number: usize) {
        let full = (1 << bits) - 1;
        if number < full {
            self.bytes.push(mark | u8::try_from(number).expect("a prefix"));
            return;
        }
        self.bytes.push(mark | u8::try_from(full).expect("a prefix"));
        let mut rest = number - full;
        while rest >= 128 {
            self.bytes
                .push(u8::try_from(rest % 128).expect("seven bits") | 0x80);
            rest /= 128;
        }
        self.bytes.push(u8::try_from(rest).expect("seven bits"));
    }

    fn text(&mut self, text: &[u8], is_huffman: bool) {
        if !is_huffman {
            self.number(0, 7, text.len());
            self.bytes.extend_from_slice(text);
            return;
        }
        let coded = huffman(text);
        self.number(0x80, 7, coded.len());
        self.bytes.extend_from_slice(&coded);
    }
}

fn huffman(text: &[u8]) -> Vec<u8> {
    let code = |symbol: &u8| SYMBOLS.iter().find(|(known, ..)| known == symbol);
    let codes = text.iter().map(|symbol| code(symbol).expect("a known symbol"));
    let bits: Vec<u8> = codes
        .flat_map(|(_, code, length)| (0..*length).rev().map(move |at| u8::from(code >> at & 1 == 1)))
        .collect();
    let bit = |byte: &[u8], at: usize| byte.get(at).copied().unwrap_or(1);
    bits.chunks(8)
        .map(|byte| (0..8).fold(0, |sum, at| (sum << 1) | bit(byte, at)))
        .collect()
}

/// The blocks of these requests.
fn blocks(requests: &[Vec<WrittenField>]) -> Vec<Vec<u8>> {
    let mut encoder = ClientEncoder::default();
    let encode = |fields: &Vec<WrittenField>| {
        for field in fields {
            encoder.field(field);
        }
        std::mem::take(&mut encoder.bytes)
    };
    requests.iter().map(encode).collect()
}

/// Follows each block in pieces of one size.
fn followed(blocks: &[Vec<u8>], size: usize) -> Result<(Vec<Vec<u8>>, bool), BrokenFields> {
    let (mut follower, mut has_fragment) = (FieldFollower::new(), false);
    let mut passed = blocks.to_vec();
    for block in &mut passed {
        follower.begin();
        for piece in block.chunks_mut(size) {
            has_fragment |= follower.follow(piece)?;
        }
        assert!(follower.may_end());
    }
    Ok((passed, has_fragment))
}

fn text(longest: usize) -> impl Strategy<Value = Vec<u8>> {
    let symbol = (0..SYMBOLS.len()).prop_map(|at| SYMBOLS[at].0);
    proptest::collection::vec(symbol, 0..longest)
}

fn written() -> impl Strategy<Value = WrittenField> {
    let name = prop_oneof![
        3 => Just(b":path".to_vec()),
        1 => Just(b"age".to_vec()),
        1 => Just(b":pathe".to_vec()),
        1 => Just(b":pat".to_vec()),
        2 => text(6),
    ];
    // Long values push entries out of the table.
    let value = prop_oneof![4 => text(40), 1 => text(3000)];
    (name, value, 0..3_u8, any::<bool>(), any::<[bool; 2]>()).prop_map(
        |(name, value, form, is_referred, are_huffman)| WrittenField {
            name,
            value,
            form,
            is_referred,
            are_huffman,
        },
    )
}

proptest! {
    #[test]
    fn only_fragments_of_paths_are_marked(
        requests in proptest::collection::vec(proptest::collection::vec(written(), 0..8), 1..6),
        size in 1..50_usize,
    ) {
        let mut marked = requests.clone();
        let paths = marked.iter_mut().flatten().filter(|field| field.name == b":path");
        let mut signs = 0;
        for byte in paths.flat_map(|field| &mut field.value).filter(|byte| **byte == b'#') {
            *byte = b'>';
            signs += 1;
        }
        let (passed, has_fragment) = followed(&blocks(&requests), size).expect("whole fields");
        prop_assert_eq!(has_fragment, signs > 0);
        prop_assert!(passed == blocks(&marked), "{:?}", requests);
    }

    #[test]
    fn no_bytes_break_the_follower(bytes in proptest::collection::vec(any::<u8>(), 0..300), size in 1..20_usize) {
        let verdict = |size| {
            let (mut follower, mut bytes) = (FieldFollower::new(), bytes.clone());
            let verdict: Result<Vec<bool>, _> =
                bytes.chunks_mut(size).map(|piece| follower.follow(piece)).collect();
            verdict.map(|_| bytes)
        };
        prop_assert_eq!(verdict(size), verdict(usize::MAX));
    }
}

#[test]
fn what_no_decoder_reads_is_broken() {
    for bytes in [
        &[0x80][..],                           // index 0
        &[0xbe],                               // an index beyond both tables
        &[0x7f, 0x00, 0x00],                   // a name beyond both tables
        &[0x3f, 0xe2, 0x1f],                   // a table of 4097 bytes
        &[0x82, 0x20],                         // a table's size behind a field
        &[0xff, 0xff, 0xff, 0xff, 0xff, 0x01], // a number of six bytes
        &[0x44, 0x84, 0xff, 0xff, 0xff, 0xff], // the end of a string within it
        &[0x44, 0x81, 0x00],                   // padding of zeros
        &[0x44, 0x82, 0x1f, 0xff],             // a byte of padding
    ] {
        assert_eq!(
            FieldFollower::new().follow(&mut bytes.to_vec()),
            Err(BrokenFields),
            "{bytes:x?}"
        );
    }
    assert_eq!(
        FieldFollower::new().follow(&mut [0x20, 0x3f, 0xe1, 0x1f, 0x82]),
        Ok(false)
    );
}
