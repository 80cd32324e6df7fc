//! Reads a multipart body piece by piece, whole or while it comes.
//!
//! The delimiter `--boundary` may stand nowhere but at the start of a line of its own. PHP then reads the same
//! parts or fewer, even where it gives a file up and searches for the next boundary line by line.

use memchr::memmem::Finder;

use super::super::form_fault::FormFault;
use super::disposition::variable;

/// Maximum bytes of the headers of one part. PHP reads lines in pieces of 5120 bytes.
const HEAD_BYTES: usize = 4096;

/// The line end, which must stand before each delimiter but the first.
const LINE_END: &[u8] = b"\r\n";

/// Reads the pieces of bodies with one boundary. It keeps no state: the caller passes the [`Place`].
#[derive(Debug)]
pub(in crate::wordpress::payload) struct MultipartReader {
    /// Finds `--boundary`.
    delimiter: Box<Finder<'static>>,
}

/// The place in a body at which the next piece begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::wordpress::payload) enum Place {
    /// The first byte.
    Start,
    /// Text before the first delimiter.
    Preamble,
    /// Right behind a delimiter.
    Delimited,
    /// The headers of a part.
    Head,
    /// The content of a part.
    Content,
    /// Right behind the last delimiter.
    Closed,
    /// The text after that.
    Epilogue,
}

/// The part of a body that has arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::wordpress::payload) enum Arrival {
    /// Its end may be missing.
    Partial,
    /// All of it.
    Whole,
}

/// One piece of a body.
#[derive(Debug)]
pub(in crate::wordpress::payload) struct Read<'a> {
    /// The bytes that it takes.
    pub(in crate::wordpress::payload) length: usize,
    /// Its content.
    pub(in crate::wordpress::payload) piece: Piece<'a>,
    /// The place behind it.
    pub(in crate::wordpress::payload) next: Place,
}

/// The meaning of a piece.
#[derive(Debug)]
pub(in crate::wordpress::payload) enum Piece<'a> {
    /// Delimiters, and text outside of parts.
    Filler,
    /// The headers of a part: the name of the variable that it sets; none for a file.
    Head(Option<&'a [u8]>),
    /// Content of a part, or a piece of it: it is complete where the next place is not [`Place::Content`].
    Content(&'a [u8]),
}

type PieceRead<'a> = Result<Option<Read<'a>>, FormFault>;

// === impl MultipartReader ===

impl MultipartReader {
    pub(in crate::wordpress::payload) fn new(boundary: &[u8]) -> Self {
        let delimiter = [b"--", boundary].concat();
        Self {
            delimiter: Box::new(Finder::new(&delimiter).into_owned()),
        }
    }

    /// The next piece of the bytes from this place on; none where the body ends, or where more bytes must
    /// arrive first. The bytes without a piece are never more than a part's headers or a delimiter may have.
    pub(in crate::wordpress::payload) fn read<'a>(
        &self,
        place: Place,
        bytes: &'a [u8],
        arrival: Arrival,
    ) -> PieceRead<'a> {
        match place {
            Place::Start | Place::Preamble => self.preamble(place, bytes, arrival),
            Place::Delimited => delimited(bytes, arrival),
            Place::Head => self.head(bytes, arrival),
            Place::Content => self.content(bytes, arrival),
            Place::Closed => closed(bytes, arrival),
            Place::Epilogue => self.epilogue(bytes, arrival),
        }
    }

    /// Text before the first delimiter has no meaning, unless PHP could find a boundary in it.
    fn preamble<'a>(&self, place: Place, bytes: &'a [u8], arrival: Arrival) -> PieceRead<'a> {
        let Some(at) = self.delimiter.find(bytes) else {
            return match arrival {
                Arrival::Whole => Err(FormFault::Boundary),
                Arrival::Partial => Ok(self.all_but_a_delimiter(bytes, Place::Preamble)),
            };
        };
        let before = bytes.get(..at).unwrap_or_default();
        if !(at == 0 && place == Place::Start || before.ends_with(LINE_END)) {
            return Err(FormFault::Boundary);
        }
        Ok(Some(filler(at + self.delimiter.needle().len(), Place::Delimited)))
    }

    fn head<'a>(&self, bytes: &'a [u8], arrival: Arrival) -> PieceRead<'a> {
        let window = bytes.get(..HEAD_BYTES).unwrap_or(bytes);
        let Some(end) = memchr::memmem::find(window, b"\r\n\r\n") else {
            return match arrival {
                // A delimiter ends the part, and it has no content then.
                _ if self.delimiter.find(window).is_some() => Err(FormFault::Headers),
                Arrival::Whole => Err(FormFault::Unterminated),
                Arrival::Partial if bytes.len() < HEAD_BYTES => Ok(None),
                Arrival::Partial => Err(FormFault::Headers),
            };
        };
        let head = window.get(..end).unwrap_or_default();
        if self.delimiter.find(head).is_some() {
            return Err(FormFault::Headers);
        }
        Ok(Some(Read {
            length: end + 2 * LINE_END.len(),
            piece: Piece::Head(variable(head)?),
            next: Place::Content,
        }))
    }

    fn content<'a>(&self, bytes: &'a [u8], arrival: Arrival) -> PieceRead<'a> {
        let Some(at) = self.delimiter.find(bytes) else {
            return match arrival {
                Arrival::Whole => Err(FormFault::Unterminated),
                Arrival::Partial => Ok(self.all_but_a_delimiter(bytes, Place::Content)),
            };
        };
        let before = bytes.get(..at).unwrap_or_default();
        // For PHP a line feed alone begins a boundary line, or any byte where it cuts a long line.
        let content = before.strip_suffix(LINE_END).ok_or(FormFault::Boundary)?;
        Ok(Some(Read {
            length: at + self.delimiter.needle().len(),
            piece: Piece::Content(content),
            next: Place::Delimited,
        }))
    }

    /// PHP looks for further parts in the epilogue, other parsers do not.
    fn epilogue<'a>(&self, bytes: &'a [u8], arrival: Arrival) -> PieceRead<'a> {
        match arrival {
            _ if self.delimiter.find(bytes).is_some() => Err(FormFault::Boundary),
            Arrival::Whole if bytes.is_empty() => Ok(None),
            Arrival::Whole => Ok(Some(filler(bytes.len(), Place::Epilogue))),
            Arrival::Partial => Ok(self.all_but_a_delimiter(bytes, Place::Epilogue)),
        }
    }

    /// All bytes but those with which a delimiter and its line end may begin.
    fn all_but_a_delimiter<'a>(&self, bytes: &'a [u8], place: Place) -> Option<Read<'a>> {
        let longest = LINE_END.len() + self.delimiter.needle().len() - 1;
        let (start, end) = bytes.split_at(bytes.len().saturating_sub(longest));
        let length = start.len() + memchr::memchr2(b'\r', b'-', end).unwrap_or(end.len());
        let bytes = bytes.get(..length).filter(|bytes| !bytes.is_empty())?;
        let piece = match place {
            Place::Content => Piece::Content(bytes),
            _ => Piece::Filler,
        };
        Some(Read {
            length,
            piece,
            next: place,
        })
    }
}

fn delimited(bytes: &[u8], arrival: Arrival) -> PieceRead<'_> {
    match bytes {
        [b'\r', b'\n', ..] => Ok(Some(filler(2, Place::Head))),
        [b'-', b'-', ..] => Ok(Some(filler(2, Place::Closed))),
        [] | [b'\r' | b'-'] if arrival == Arrival::Partial => Ok(None),
        _ => Err(FormFault::Boundary),
    }
}

fn closed(bytes: &[u8], arrival: Arrival) -> PieceRead<'_> {
    match bytes {
        [] => Ok(None),
        [b'\r', b'\n', ..] => Ok(Some(filler(2, Place::Epilogue))),
        [b'\r'] if arrival == Arrival::Partial => Ok(None),
        _ => Err(FormFault::Boundary),
    }
}

fn filler<'a>(length: usize, next: Place) -> Read<'a> {
    Read {
        length,
        piece: Piece::Filler,
        next,
    }
}
