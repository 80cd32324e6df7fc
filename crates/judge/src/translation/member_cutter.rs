//! A member that an older version does not have, taken out of a JSON document that arrives in pieces.

use bytes::{Bytes, BytesMut};
use memchr::memmem::Finder;

use super::value_scan::ValueScan;

/// The white space that is looked over in one place: WordPress indents by four blanks a level.
const BLANKS: usize = 64;

/// Takes one member out of a document, wherever it stands, or leaves one record of the list that is its value.
///
/// A quotation mark within a text has a backslash before it, so that the name between quotation marks and a colon is
/// always a member. The result does not depend on how the document is cut. A name with more white space around it than
/// WordPress prints stays, so that the work grows with the bytes and at most 512 of them are held between pieces.
#[derive(Debug, Clone)]
pub struct MemberCutter {
    /// The name between quotation marks.
    name: Finder<'static>,
    cut: MemberCut,
    state: CutterState,
    held: Bytes,
}

/// The treatment of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MemberCut {
    /// It is taken out.
    Whole,
    /// Of the records in its list, the first stays, without the list.
    ButFirst,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CutterState {
    Copying,
    /// In the value of a member that is taken out, with the sign before the member.
    InValue(ValueScan, u8),
    /// Behind the first member of an object, whose bracket is not written yet.
    BehindFirst,
    /// In the record that stays of a list.
    InRecord(ValueScan),
    /// In the rest of that list.
    InRest(ValueScan),
}

/// The bytes of a text that a step has read.
enum Passed {
    /// The next step reads on.
    Up(usize),
    /// The text ends; what was not read is held.
    Last(usize),
}

/// The reason not to take the text at a found name for a member that is cut.
enum NotMember {
    /// It is something that stays.
    Other,
    /// The text ends too early to decide.
    Unfinished,
}

// === impl MemberCutter ===

impl MemberCutter {
    pub(super) fn new(name: &str, cut: MemberCut) -> Self {
        Self {
            name: Finder::new(&format!("\"{name}\"")).into_owned(),
            cut,
            state: CutterState::Copying,
            held: Bytes::new(),
        }
    }

    /// Returns true if a text has the name, as a member or otherwise.
    pub fn is_named_in(&self, text: &[u8]) -> bool {
        self.name.find(text).is_some()
    }

    /// Takes the next piece and returns what is decided, which may be empty.
    pub fn push(&mut self, piece: Bytes) -> Bytes {
        self.pass(piece, false)
    }

    /// Returns what was held. No piece may follow.
    pub fn finish(&mut self) -> Bytes {
        self.pass(Bytes::new(), true)
    }

    /// A whole document without the member; none: the document does not have it.
    pub fn whole(mut self, document: &Bytes) -> Option<Bytes> {
        let filtered = self.pass(document.clone(), true);
        (filtered.len() != document.len()).then_some(filtered)
    }

    fn pass(&mut self, piece: Bytes, is_last: bool) -> Bytes {
        let text = joined(std::mem::take(&mut self.held), piece);
        if self.state == CutterState::Copying && self.name.find(&text).is_none() {
            // Nothing is copied.
            let end = self.undecided_from(&text, is_last);
            self.held = text.slice(end..);
            return text.slice(..end);
        }
        let mut out = BytesMut::with_capacity(text.len());
        let mut at = 0;
        loop {
            match self.step(text.get(at..).unwrap_or_default(), is_last, &mut out) {
                Passed::Up(length) => at += length,
                Passed::Last(length) => {
                    self.held = text.slice(at + length..);
                    return out.freeze();
                }
            }
        }
    }

    /// Reads on in the present state, up to the next one or the end of the text.
    fn step(&mut self, text: &[u8], is_last: bool, out: &mut BytesMut) -> Passed {
        let copied =
            |out: &mut BytesMut, end: usize| out.extend_from_slice(text.get(..end).unwrap_or_default());
        let (end, then, now) = match self.state {
            CutterState::Copying => return self.copy(text, is_last, out),
            CutterState::BehindFirst => return self.behind_first(text, out),
            CutterState::InValue(mut scan, sign) => {
                let then = if sign == b'{' {
                    CutterState::BehindFirst
                } else {
                    CutterState::Copying
                };
                (scan.end(text), then, CutterState::InValue(scan, sign))
            }
            CutterState::InRecord(mut scan) => {
                let end = scan.end(text);
                copied(out, end.unwrap_or(text.len()));
                (
                    end,
                    CutterState::InRest(ValueScan::in_list()),
                    CutterState::InRecord(scan),
                )
            }
            CutterState::InRest(mut scan) => {
                (scan.end(text), CutterState::Copying, CutterState::InRest(scan))
            }
        };
        self.state = if end.is_some() { then } else { now };
        end.map_or(Passed::Last(text.len()), Passed::Up)
    }

    /// Copies up to the next member.
    fn copy(&mut self, text: &[u8], is_last: bool, out: &mut BytesMut) -> Passed {
        let mut from = 0;
        let end = loop {
            let found = self.name.find(text.get(from..).unwrap_or_default());
            let Some(at) = found.map(|found| from + found) else {
                break self.undecided_from(text, is_last);
            };
            match self.found_at(text, at) {
                Err(NotMember::Unfinished) if !is_last => break at.saturating_sub(BLANKS + 1),
                Err(NotMember::Other | NotMember::Unfinished) => from = at + self.name.needle().len(),
                Ok((kept, value)) => {
                    out.extend_from_slice(text.get(..kept).unwrap_or_default());
                    self.state = match self.cut {
                        MemberCut::Whole => {
                            let sign = text.get(kept).copied().unwrap_or_default();
                            CutterState::InValue(ValueScan::default(), sign)
                        }
                        MemberCut::ButFirst => CutterState::InRecord(ValueScan::default()),
                    };
                    return Passed::Up(value);
                }
            }
        };
        out.extend_from_slice(text.get(..end).unwrap_or_default());
        Passed::Last(end)
    }

    /// Where the end of a text without the name begins that may be part of it, or of the white space before it.
    fn undecided_from(&self, text: &[u8], is_last: bool) -> usize {
        let undecided = if is_last {
            0
        } else {
            BLANKS + self.name.needle().len()
        };
        text.len().saturating_sub(undecided)
    }

    /// The sign up to which a member with a found name is kept, and the value that is passed over.
    fn found_at(&self, text: &[u8], at: usize) -> Result<(usize, usize), NotMember> {
        let from = at.saturating_sub(BLANKS + 1);
        let before = text.get(from..at).unwrap_or_default().trim_ascii_end();
        if !matches!(before.last(), Some(b',' | b'{')) {
            return Err(NotMember::Other);
        }
        let colon = next_sign(b':', text, at + self.name.needle().len())?;
        if self.cut == MemberCut::Whole {
            return Ok((from + before.len() - 1, colon + 1));
        }
        let list = next_sign(b'[', text, colon + 1)?;
        let record = next_sign(b'{', text, list + 1)?;
        Ok((colon + 1, record))
    }

    /// Writes the bracket of an object whose first member was taken out. PHP prints an object without members as a list.
    fn behind_first(&mut self, text: &[u8], out: &mut BytesMut) -> Passed {
        let Some(at) = text.iter().position(|byte| !byte.is_ascii_whitespace()) else {
            return Passed::Last(text.len());
        };
        self.state = CutterState::Copying;
        let (written, end): (&[u8], usize) = match text.get(at) {
            Some(b',') => (b"{", at + 1),
            Some(b'}') => (b"[]", at + 1),
            _ => (b"{", at),
        };
        out.extend_from_slice(written);
        Passed::Up(end)
    }
}

/// The position of a sign that must be the first byte behind white space. More white space than is looked over does not
/// belong to a member.
fn next_sign(sign: u8, text: &[u8], from: usize) -> Result<usize, NotMember> {
    let rest = text.get(from..).unwrap_or_default();
    let mut near = rest.iter().take(BLANKS + 1);
    match near.position(|byte| !byte.is_ascii_whitespace()) {
        Some(blanks) if rest.get(blanks) == Some(&sign) => Ok(from + blanks),
        None if rest.len() <= BLANKS => Err(NotMember::Unfinished),
        Some(_) | None => Err(NotMember::Other),
    }
}

/// Two pieces as one; a lone piece is not copied.
fn joined(held: Bytes, piece: Bytes) -> Bytes {
    if held.is_empty() {
        return piece;
    }
    if piece.is_empty() {
        return held;
    }
    [held, piece].concat().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(filter: &MemberCutter, document: &str) -> String {
        let document = Bytes::copy_from_slice(document.as_bytes());
        let filtered = filter.clone().whole(&document).unwrap_or(document);
        String::from_utf8(filtered.to_vec()).expect("text")
    }

    /// Filters a document cut in two at each place, and in single bytes.
    fn in_pieces(filter: &MemberCutter, document: &str) -> Vec<String> {
        let cut = |pieces: Vec<&[u8]>| {
            let mut filter = filter.clone();
            let mut out = Vec::new();
            for piece in pieces {
                out.extend_from_slice(&filter.push(Bytes::copy_from_slice(piece)));
            }
            out.extend_from_slice(&filter.finish());
            String::from_utf8(out).expect("text")
        };
        let bytes = document.as_bytes();
        let mut results: Vec<String> = (0..bytes.len())
            .map(|at| bytes.split_at(at))
            .map(|(left, right)| cut(vec![left, right]))
            .collect();
        results.push(cut(bytes.chunks(1).collect()));
        results
    }

    fn is_filtered(filter: &MemberCutter, document: &str, expected: &str) {
        assert_eq!(whole(filter, document), expected);
        for result in in_pieces(filter, document) {
            assert_eq!(result, expected, "in pieces");
        }
    }

    #[test]
    fn a_member_is_taken_out_wherever_it_stands() {
        let filter = MemberCutter::new("new", MemberCut::Whole);
        for (document, expected) in [
            (
                r#"{"id":1,"new":[],"z":"\"new\":1"}"#,
                r#"{"id":1,"z":"\"new\":1"}"#,
            ),
            (r#"{"id":1,"new":{"a":{"new":"]}"}}}"#, r#"{"id":1}"#),
            (r#"{"new":"x\\","id":1}"#, r#"{"id":1}"#),
            (r#"{"new":[]}"#, "[]"),
            (
                r#"{"e":[{"a":1,"new":2},{"a":3,"new":4}],"t":2}"#,
                r#"{"e":[{"a":1},{"a":3}],"t":2}"#,
            ),
            (r#"{"id":"new","b":["new"]}"#, r#"{"id":"new","b":["new"]}"#),
            (
                "{\n    \"id\": 1,\n    \"new\": [],\n    \"z\": 2\n}",
                "{\n    \"id\": 1,\n    \"z\": 2\n}",
            ),
            (r#"/**/f({"id":1,"new":[]})"#, r#"/**/f({"id":1})"#),
        ] {
            is_filtered(&filter, document, expected);
        }
    }

    #[test]
    fn the_first_record_of_a_list_stays() {
        let filter = MemberCutter::new("venue", MemberCut::ButFirst);
        for (document, expected) in [
            (
                r#"{"id":1,"venue":[{"id":7,"venue":"A"},{"id":8,"venue":"B"}],"z":[]}"#,
                r#"{"id":1,"venue":{"id":7,"venue":"A"},"z":[]}"#,
            ),
            (r#"{"venue":[{"id":7}]}"#, r#"{"venue":{"id":7}}"#),
            (r#"{"id":1,"venue":[],"z":1}"#, r#"{"id":1,"venue":[],"z":1}"#),
            (
                r#"{"id":1,"venue":{"venue":"A"}}"#,
                r#"{"id":1,"venue":{"venue":"A"}}"#,
            ),
        ] {
            is_filtered(&filter, document, expected);
        }
    }

    #[test]
    fn t116_what_is_held_does_not_grow_with_white_space() {
        let blanks = " \n".repeat(20_000);
        for (cut, document) in [
            (MemberCut::Whole, [r#"{"id":1,"new""#, r#":2,"z":3}"#]),
            (MemberCut::Whole, [r#"{"id":1,"#, r#""new":2,"z":3}"#]),
            (MemberCut::Whole, [r#"{"new":"#, r#"2,"z":3}"#]),
            (MemberCut::Whole, [r#"{"new":2"#, r#","z":3}"#]),
            (MemberCut::ButFirst, [r#"{"id":1,"new":"#, r#"[{"id":2}]}"#]),
            (MemberCut::ButFirst, [r#"{"id":1,"new":["#, r#"{"id":2}]}"#]),
            (MemberCut::ButFirst, [r#"{"id":1,"new":[{"id":2}"#, "]}"]),
        ] {
            let document = document.join(&blanks);
            let expected = whole(&MemberCutter::new("new", cut), &document);
            for size in [1, 100, 4096] {
                let mut filter = MemberCutter::new("new", cut);
                let mut out = Vec::new();
                for piece in document.as_bytes().chunks(size) {
                    out.extend_from_slice(&filter.push(Bytes::copy_from_slice(piece)));
                    // Each byte of a piece is read with at most so many that came before.
                    assert!(filter.held.len() <= 512, "{} {size}", filter.held.len());
                }
                out.extend_from_slice(&filter.finish());
                assert_eq!(String::from_utf8(out).expect("text"), expected, "{cut:?} {size}");
            }
        }
    }

    #[test]
    fn a_name_is_found_in_white_space_up_to_a_bound() {
        let filter = MemberCutter::new("new", MemberCut::Whole);
        let document = |count: usize| {
            let blanks = " ".repeat(count);
            format!(r#"{{"id":1,{blanks}"new"{blanks}:{blanks}2{blanks}}}"#)
        };
        let without = format!(r#"{{"id":1{}}}"#, " ".repeat(BLANKS));
        is_filtered(&filter, &document(BLANKS), &without);
        is_filtered(&filter, &document(BLANKS + 1), &document(BLANKS + 1));
    }

    proptest::proptest! {
        #[test]
        fn takes_any_bytes(document: Vec<u8>, cut in 0_usize..64) {
            for kind in [MemberCut::Whole, MemberCut::ButFirst] {
                let mut filter = MemberCutter::new("a", kind);
                let (left, right) = document.split_at(cut.min(document.len()));
                let mut out = filter.push(Bytes::copy_from_slice(left)).to_vec();
                out.extend_from_slice(&filter.push(Bytes::copy_from_slice(right)));
                out.extend_from_slice(&filter.finish());
                proptest::prop_assert!(out.len() <= document.len() + 1);
            }
        }
    }
}
