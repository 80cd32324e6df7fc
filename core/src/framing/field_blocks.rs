//! The frames that carry the fields of requests: HEADERS and CONTINUATION (RFC 9113 6.2 and 6.10).

use super::frame_position::{CONTINUATION, HEAD, HEADERS, PADDED, PUSH_PROMISE};
use super::hpack::{BrokenFields, FieldFollower};

const END_HEADERS: u8 = 4;
const PRIORITY: u8 = 32;

/// The bytes of a priority: the stream that is depended on, and a weight.
const PRIORITY_BYTES: u8 = 5;

/// The bits of a stream's number; the highest one is reserved.
const STREAM: u32 = 0x7fff_ffff;

/// Follows the blocks of fields of a connection.
///
/// The edge must read the same fields as the library behind it. Where the library reads no fields of such a frame, or where
/// a decoder must end the connection, this one reports the frames as broken.
#[derive(Debug, Clone)]
pub(super) struct FieldBlocks {
    fields: FieldFollower,
    /// The stream whose block goes on in the next frame.
    open: Option<u32>,
    frame: FieldFrame,
}

/// The payload of the current frame.
#[derive(Debug, Clone, Copy)]
struct FieldFrame {
    stream: u32,
    ends_block: bool,
    has_priority: bool,
    /// Bytes of the payload that are left.
    left: u32,
    /// Bytes of padding at the end.
    padding: u32,
    at: PayloadPart,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PayloadPart {
    PadLength,
    /// So many bytes of the priority are known, and the stream in them.
    Priority(u8, u32),
    Fields,
}

// === impl FieldBlocks ===

impl FieldBlocks {
    pub(super) fn new() -> Self {
        Self {
            fields: FieldFollower::new(),
            open: None,
            frame: FieldFrame::of(&[0; HEAD]),
        }
    }

    /// True for the frames that this one must see.
    pub(super) const fn takes(head: &[u8; HEAD]) -> bool {
        let [_, _, _, kind, ..] = *head;
        matches!(kind, HEADERS | PUSH_PROMISE | CONTINUATION)
    }

    /// True if the next frame must continue a block.
    pub(super) const fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Begins a frame.
    pub(super) fn begin(&mut self, head: &[u8; HEAD]) -> Result<(), BrokenFields> {
        let [_, _, _, kind, ..] = *head;
        self.frame = FieldFrame::of(head);
        match (kind, self.open) {
            (HEADERS, None) => self.fields.begin(),
            (CONTINUATION, Some(stream)) if stream == self.frame.stream => {}
            _ => return Err(BrokenFields),
        }
        self.open = (!self.frame.ends_block).then_some(self.frame.stream);
        self.end()
    }

    /// Follows bytes of the payload, at most those that are left; returns true if a path in them had a fragment.
    pub(super) fn follow(&mut self, bytes: &mut [u8]) -> Result<bool, BrokenFields> {
        let mut before = 0;
        for byte in &*bytes {
            if self.frame.at == PayloadPart::Fields {
                break;
            }
            self.frame.before_fields(*byte)?;
            before += 1;
        }
        let (_, rest) = bytes.split_at_mut(before);
        let has_fragment = match self.frame.fields(rest) {
            Some(fields) => self.fields.follow(fields)?,
            None => false,
        };
        self.end()?;
        Ok(has_fragment)
    }

    /// Checks that a frame whose payload ends here is whole.
    fn end(&self) -> Result<(), BrokenFields> {
        let is_whole = self.frame.at == PayloadPart::Fields;
        let is_cut = self.frame.ends_block && !self.fields.may_end();
        if self.frame.left == 0 && (!is_whole || is_cut) {
            return Err(BrokenFields);
        }
        Ok(())
    }
}

// === impl FieldFrame ===

impl FieldFrame {
    fn of(head: &[u8; HEAD]) -> Self {
        let [high, middle, low, kind, flags, stream @ ..] = *head;
        let is = |flag| kind == HEADERS && flags & flag != 0;
        let mut this = Self {
            stream: u32::from_be_bytes(stream) & STREAM,
            ends_block: flags & END_HEADERS != 0,
            has_priority: is(PRIORITY),
            left: u32::from_be_bytes([0, high, middle, low]),
            padding: 0,
            at: PayloadPart::PadLength,
        };
        if !is(PADDED) {
            this.at = this.after_pad_length();
        }
        this
    }

    const fn after_pad_length(&self) -> PayloadPart {
        if self.has_priority {
            PayloadPart::Priority(0, 0)
        } else {
            PayloadPart::Fields
        }
    }

    /// Reads a byte before the fields.
    fn before_fields(&mut self, byte: u8) -> Result<(), BrokenFields> {
        self.left -= 1;
        match self.at {
            PayloadPart::PadLength => {
                self.padding = u32::from(byte);
                self.at = self.after_pad_length();
            }
            PayloadPart::Priority(known, stream) if known + 1 < PRIORITY_BYTES => {
                self.at = PayloadPart::Priority(known + 1, (stream << 8) | u32::from(byte));
            }
            // For a stream that depends on itself the library skips the fields, and with them entries of the table.
            PayloadPart::Priority(_, stream) if stream & STREAM == self.stream => return Err(BrokenFields),
            PayloadPart::Priority(..) => self.at = PayloadPart::Fields,
            PayloadPart::Fields => {}
        }
        if self.at == PayloadPart::Fields && self.padding > self.left {
            return Err(BrokenFields);
        }
        Ok(())
    }

    /// Takes these bytes from the rest of the payload; returns those that are fields and not padding.
    fn fields<'a>(&mut self, bytes: &'a mut [u8]) -> Option<&'a mut [u8]> {
        let fields = usize::try_from(self.left - self.padding.min(self.left)).ok()?;
        let count = u32::try_from(bytes.len()).ok()?;
        self.left = self.left.checked_sub(count)?;
        let fields = fields.min(bytes.len());
        bytes.get_mut(..fields)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `:path` with a fragment, as an entry of the table.
    const PATH: &[u8] = b"\x44\x04/a#b";

    /// Follows one frame in pieces of one size.
    fn follow(
        blocks: &mut FieldBlocks,
        frame: &(u8, u8, u32, Vec<u8>),
        size: usize,
    ) -> Result<bool, BrokenFields> {
        let (kind, flags, stream, payload) = frame;
        let [_, high, middle, low] = u32::try_from(payload.len()).unwrap().to_be_bytes();
        let [a, b, c, d] = stream.to_be_bytes();
        blocks.begin(&[high, middle, low, *kind, *flags, a, b, c, d])?;
        let mut has_fragment = false;
        for piece in payload.clone().chunks_mut(size) {
            has_fragment |= blocks.follow(piece)?;
        }
        Ok(has_fragment)
    }

    fn verdict(frames: &[(u8, u8, u32, Vec<u8>)]) -> Result<bool, BrokenFields> {
        let all = |size| {
            let mut blocks = FieldBlocks::new();
            let followed: Result<Vec<bool>, _> = frames
                .iter()
                .map(|frame| follow(&mut blocks, frame, size))
                .collect();
            followed.map(|found| found.contains(&true))
        };
        assert_eq!(all(1), all(usize::MAX), "{frames:?}");
        all(3)
    }

    fn headers(flags: u8, payload: &[&[u8]]) -> (u8, u8, u32, Vec<u8>) {
        (HEADERS, flags, 1, payload.concat())
    }

    #[test]
    fn fields_are_found_among_padding_and_priorities() {
        let weight = [0x80, 0, 0, 3, 9];
        for frame in [
            headers(END_HEADERS, &[PATH]),
            headers(END_HEADERS | PADDED, &[&[2], PATH, PATH.get(..2).unwrap()]),
            headers(END_HEADERS | PRIORITY, &[&weight, PATH]),
            headers(END_HEADERS | PADDED | PRIORITY, &[&[1], &weight, PATH, b"#"]),
        ] {
            assert_eq!(verdict(&[frame]), Ok(true));
        }
        let (start, end) = PATH.split_at(3);
        for (first, second) in [(start, end), (&[], PATH), (PATH, &[])] {
            let second = (CONTINUATION, END_HEADERS | PADDED, 1, second.to_vec());
            assert_eq!(
                verdict(&[headers(0, &[first]), second]),
                Ok(true),
                "padding is not for these"
            );
        }
        let only_padding = headers(END_HEADERS | PADDED, &[&[6], PATH]);
        assert_eq!(verdict(&[only_padding]), Ok(false));
    }

    #[test]
    fn frames_that_the_library_reads_otherwise_are_broken() {
        for frames in [
            vec![headers(END_HEADERS | PADDED, &[])],
            vec![headers(END_HEADERS | PADDED, &[&[7], PATH])],
            vec![headers(END_HEADERS | PRIORITY, &[&[0; 4]])],
            vec![headers(END_HEADERS | PRIORITY, &[&[0x80, 0, 0, 1, 9], PATH])],
            vec![headers(END_HEADERS, &[PATH.get(..5).unwrap()])],
            vec![headers(0, &[]), headers(END_HEADERS, &[PATH])],
            vec![headers(0, &[]), (CONTINUATION, END_HEADERS, 3, PATH.to_vec())],
            vec![
                headers(0, &[PATH.get(..5).unwrap()]),
                (CONTINUATION, END_HEADERS, 1, Vec::new()),
            ],
            vec![(CONTINUATION, END_HEADERS, 1, PATH.to_vec())],
            vec![(PUSH_PROMISE, END_HEADERS, 1, [&[0, 0, 0, 2], PATH].concat())],
        ] {
            assert_eq!(verdict(&frames), Err(BrokenFields), "{frames:?}");
        }
    }
}
