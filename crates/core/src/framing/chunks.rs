//! Chunked bodies (RFC 9112 7.1), piece by piece.

use super::breach::Breach;
use super::bytes::split_once;
use super::fields::{self, LONGEST_NAME};
use super::line::{LineFault, LineScan};
use crate::errors;

/// The most digits of a chunk size.
const SIZE_DIGITS: usize = 16;

/// The largest chunk size; it must fit into signed 64-bit numbers.
const LARGEST: u64 = i64::MAX.unsigned_abs();

/// The most bytes of extensions in one chunk, including the semicolon.
const EXTENSION: usize = 256;

/// The most bytes of extensions in one body.
const EXTENSIONS: usize = 8 * 1024;

/// The most trailer fields in one body.
const TRAILERS: usize = 16;

/// The most bytes of trailer fields in one body.
const TRAILER_BYTES: usize = 8 * 1024;

/// The position in a chunked body.
#[derive(Debug, Clone)]
pub(super) struct ChunkReader {
    stage: ChunkStage,
    extension_bytes: usize,
    trailers: usize,
    trailer_bytes: usize,
}

#[derive(Debug, Clone)]
enum ChunkStage {
    Size(LineScan),
    /// This many bytes of the chunk are left.
    Data(u64),
    /// The CRLF behind a chunk's data.
    DataEnd,
    Trailer(LineScan),
}

impl ChunkReader {
    pub(super) fn new() -> Self {
        Self {
            stage: ChunkStage::Size(LineScan::default()),
            extension_bytes: 0,
            trailers: 0,
            trailer_bytes: 0,
        }
    }

    /// Reads the next piece: the number of its bytes, and whether they complete the body; `None`: the piece is not complete.
    /// `held` must contain all bytes that were not consumed.
    pub(super) fn read(&mut self, held: &[u8]) -> Result<Option<(usize, bool)>, Breach> {
        match &mut self.stage {
            ChunkStage::Size(scan) => {
                let line = scan
                    .next(held, SIZE_DIGITS + EXTENSION)
                    .map_err(|_| errors::BAD_CHUNK)?;
                let Some(line) = line else {
                    return Ok(None);
                };
                let consumed = scan.start;
                self.stage = match self.size(line)? {
                    0 => ChunkStage::Trailer(LineScan::default()),
                    size => ChunkStage::Data(size),
                };
                Ok(Some((consumed, false)))
            }
            ChunkStage::Data(_) if held.is_empty() => Ok(None),
            ChunkStage::Data(left) => {
                let here = usize::try_from(*left).unwrap_or(usize::MAX).min(held.len());
                *left -= u64::try_from(here).unwrap_or(*left);
                if *left == 0 {
                    self.stage = ChunkStage::DataEnd;
                }
                Ok(Some((here, false)))
            }
            ChunkStage::DataEnd => match held {
                [] | [b'\r'] => Ok(None),
                [b'\r', b'\n', ..] => {
                    self.stage = ChunkStage::Size(LineScan::default());
                    Ok(Some((2, false)))
                }
                _ => Err(errors::BAD_CHUNK),
            },
            ChunkStage::Trailer(scan) => {
                let most = TRAILER_BYTES - self.trailer_bytes;
                let Some(line) = scan.next(held, most).map_err(trailer_fault)? else {
                    return Ok(None);
                };
                let consumed = scan.start;
                if line.is_empty() {
                    return Ok(Some((consumed, true)));
                }
                self.stage = ChunkStage::Trailer(LineScan::default());
                self.trailer(line)?;
                Ok(Some((consumed, false)))
            }
        }
    }

    fn size(&mut self, line: &[u8]) -> Result<u64, Breach> {
        let (digits, extension) = match split_once(line, b';') {
            Some((digits, extension)) => (digits, extension.len() + 1),
            None => (line, 0),
        };
        self.extension_bytes += extension;
        let is_sound = extension <= EXTENSION && self.extension_bytes <= EXTENSIONS && !line.contains(&b'\t');
        if !is_sound || digits.is_empty() || digits.len() > SIZE_DIGITS {
            return Err(errors::BAD_CHUNK);
        }
        let size = digits.iter().try_fold(0_u64, |size, &digit| {
            let digit = char::from(digit).to_digit(16)?;
            size.checked_mul(16)?.checked_add(u64::from(digit))
        });
        size.filter(|&size| size <= LARGEST).ok_or(errors::BAD_CHUNK)
    }

    fn trailer(&mut self, line: &[u8]) -> Result<(), Breach> {
        let (name, _) = fields::split(line).map_err(|_| errors::BAD_TRAILERS)?;
        self.trailers += 1;
        self.trailer_bytes += line.len();
        if self.trailers > TRAILERS || name.len() > LONGEST_NAME {
            return Err(errors::BAD_TRAILERS);
        }
        Ok(())
    }
}

const fn trailer_fault(fault: LineFault) -> Breach {
    match fault {
        LineFault::Control => errors::BAD_LINE,
        LineFault::TooLong => errors::BAD_TRAILERS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The length of the body in bytes, or its breach; `None` while it is not complete.
    fn read(mut bytes: &[u8]) -> Result<Option<usize>, Breach> {
        let mut reader = ChunkReader::new();
        let mut total = 0;
        loop {
            match reader.read(bytes)? {
                None => return Ok(None),
                Some((count, false)) => {
                    total += count;
                    bytes = &bytes[count..];
                }
                Some((count, true)) => return Ok(Some(total + count)),
            }
        }
    }

    #[test]
    fn reads_to_the_end_of_the_last_chunk() {
        for body in [
            "0\r\n\r\n",
            "5\r\nhello\r\n0\r\n\r\n",
            "0000000000000005\r\nhello\r\n000\r\n\r\n",
            "a;name=value;x=\"y\"\r\n0123456789\r\n0\r\n\r\n",
            "A\r\n\r\n\r\n\r\n\r\n\r\n\r\n0\r\nExpires: never\r\nX: y\r\n\r\n",
        ] {
            assert_eq!(read(body.as_bytes()), Ok(Some(body.len())), "{body}");
            assert_eq!(read(&body.as_bytes()[..body.len() - 1]), Ok(None), "{body}");
            let more = format!("{body}GET /");
            assert_eq!(read(more.as_bytes()), Ok(Some(body.len())), "{body}");
        }
    }

    #[test]
    fn refuses_malformed_chunks() {
        let long_extension = format!("5;{}\r\nhello\r\n0\r\n\r\n", "a".repeat(EXTENSION));
        let many_extensions = format!("1;{}\r\na\r\n", "a".repeat(EXTENSION - 1)).repeat(40);
        let many_trailers = format!("0\r\n{}\r\n", "a: b\r\n".repeat(TRAILERS + 1));
        let long_trailer = format!("0\r\na: {}\r\n\r\n", "b".repeat(TRAILER_BYTES));
        for (body, expected) in [
            ("\r\n", errors::BAD_CHUNK),
            ("g\r\n", errors::BAD_CHUNK),
            ("0x5\r\nhello\r\n", errors::BAD_CHUNK),
            ("+5\r\nhello\r\n", errors::BAD_CHUNK),
            ("5 \r\nhello\r\n", errors::BAD_CHUNK),
            (" 5\r\nhello\r\n", errors::BAD_CHUNK),
            ("5 ;a\r\nhello\r\n", errors::BAD_CHUNK),
            ("5;a\tb\r\nhello\r\n", errors::BAD_CHUNK),
            ("5;a\0\r\nhello\r\n", errors::BAD_CHUNK),
            ("5\nhello\r\n", errors::BAD_CHUNK),
            ("5\rhello\r\n", errors::BAD_CHUNK),
            ("5;a\nb\r\nhello\r\n", errors::BAD_CHUNK),
            ("5\r\nhello\n", errors::BAD_CHUNK),
            ("5\r\nhello!\r\n", errors::BAD_CHUNK),
            ("5\r\nhelloworld", errors::BAD_CHUNK),
            ("00000000000000005\r\n", errors::BAD_CHUNK),
            ("8000000000000000\r\n", errors::BAD_CHUNK),
            ("0\r\na\r\n\r\n", errors::BAD_TRAILERS),
            ("0\r\n a: b\r\n\r\n", errors::BAD_TRAILERS),
            ("0\r\n: b\r\n\r\n", errors::BAD_TRAILERS),
            ("0\r\na: b\n\r\n", errors::BAD_LINE),
            ("0\r\n\n", errors::BAD_LINE),
            (&long_extension, errors::BAD_CHUNK),
            (&many_extensions, errors::BAD_CHUNK),
            (&many_trailers, errors::BAD_TRAILERS),
            (&long_trailer, errors::BAD_TRAILERS),
        ] {
            assert_eq!(read(body.as_bytes()), Err(expected), "{body:.40}");
        }
    }
}
