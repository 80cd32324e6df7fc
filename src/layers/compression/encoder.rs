//! The codecs behind one type: bytes go in, compressed bytes come out when there are enough of them.

use std::io::{self, Write};

use brotli::CompressorWriter;
use brotli::enc::BrotliEncoderParams;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;

use calendar_edge_core::cache::compression::Coding;

/// The work that a byte is worth: the levels of the codecs, and the size of their windows as a power of two.
///
/// The levels are measured: decision 0030. Windows are small, because a slow client keeps one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Effort {
    brotli: i32,
    zstd: i32,
    gzip: u32,
    window: u8,
}

/// For one client, while the response passes.
pub(super) const FAST: Effort = Effort {
    brotli: 4,
    zstd: 3,
    gzip: 6,
    window: 17,
};

/// For all clients that will get a stored response.
pub(super) const THOROUGH: Effort = Effort {
    brotli: 9,
    zstd: 9,
    gzip: 9,
    window: 19,
};

/// A codec in the middle of a body.
pub(super) enum Encoder {
    /// Brotli; its state is large, and lies apart.
    Brotli(Box<CompressorWriter<Vec<u8>>>),
    /// Zstandard.
    Zstd(zstd::stream::write::Encoder<'static, Vec<u8>>),
    /// gzip.
    Gzip(GzEncoder<Vec<u8>>),
}

/// Bytes of brotli's buffer for input.
const BROTLI_BUFFER: usize = 16 * 1024;

// === impl Encoder ===

impl Encoder {
    /// A codec at the beginning of a body.
    ///
    /// # Errors
    ///
    /// When the codec cannot get its memory.
    pub(super) fn new(coding: Coding, effort: &Effort) -> io::Result<Self> {
        Ok(match coding {
            Coding::Brotli => {
                let parameters = BrotliEncoderParams {
                    quality: effort.brotli,
                    lgwin: effort.window.into(),
                    ..BrotliEncoderParams::default()
                };
                Self::Brotli(Box::new(CompressorWriter::with_params(
                    Vec::new(),
                    BROTLI_BUFFER,
                    &parameters,
                )))
            }
            Coding::Zstd => {
                let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), effort.zstd)?;
                encoder.window_log(effort.window.into())?;
                Self::Zstd(encoder)
            }
            Coding::Gzip => Self::Gzip(GzEncoder::new(Vec::new(), Compression::new(effort.gzip))),
        })
    }

    /// Takes more of the body; returns what is ready, which may be nothing.
    ///
    /// # Errors
    ///
    /// When the codec fails.
    pub(super) fn push(&mut self, bytes: &[u8]) -> io::Result<Bytes> {
        let ready = match self {
            Self::Brotli(encoder) => {
                encoder.write_all(bytes)?;
                encoder.get_mut()
            }
            Self::Zstd(encoder) => {
                encoder.write_all(bytes)?;
                encoder.get_mut()
            }
            Self::Gzip(encoder) => {
                encoder.write_all(bytes)?;
                encoder.get_mut()
            }
        };
        Ok(Bytes::from(std::mem::take(ready)))
    }

    /// The end of the body: the rest.
    ///
    /// # Errors
    ///
    /// When the codec fails.
    pub(super) fn finish(self) -> io::Result<Bytes> {
        let rest = match self {
            Self::Brotli(encoder) => encoder.into_inner(),
            Self::Zstd(encoder) => encoder.finish()?,
            Self::Gzip(encoder) => encoder.finish()?,
        };
        Ok(Bytes::from(rest))
    }
}

/// The compressed form of a whole body.
///
/// # Errors
///
/// When the codec fails.
pub(super) fn compressed(coding: Coding, effort: &Effort, body: &[u8]) -> io::Result<Bytes> {
    let mut encoder = Encoder::new(coding, effort)?;
    let begun = encoder.push(body)?;
    let rest = encoder.finish()?;
    if begun.is_empty() {
        return Ok(rest);
    }
    Ok([begun, rest].concat().into())
}

#[cfg(test)]
pub(super) mod tests {
    use std::io::Read;

    use super::*;

    pub(crate) fn plain(coding: Coding, bytes: &[u8]) -> Vec<u8> {
        let mut plain = Vec::new();
        match coding {
            Coding::Brotli => brotli::Decompressor::new(bytes, 4096).read_to_end(&mut plain),
            Coding::Zstd => zstd::stream::read::Decoder::new(bytes)
                .expect("a decoder")
                .read_to_end(&mut plain),
            Coding::Gzip => flate2::read::GzDecoder::new(bytes).read_to_end(&mut plain),
        }
        .expect("a whole body");
        plain
    }

    #[test]
    fn every_form_is_the_same_answer() {
        let text = r#"{"id":1,"title":"Täst","url":"https:\/\/wp.example\/event\/x"}"#.repeat(3000);
        for coding in Coding::ALL {
            for effort in [&FAST, &THOROUGH] {
                for body in [text.as_bytes(), b"", b"x"] {
                    let made = compressed(coding, effort, body).unwrap();
                    assert_eq!(plain(coding, &made), body, "{coding:?} {effort:?}");
                }
                let made = compressed(coding, effort, text.as_bytes()).unwrap();
                assert!(
                    made.len() < text.len() / 20,
                    "{coding:?} {effort:?}: {}",
                    made.len()
                );
            }
        }
    }

    #[test]
    fn large_bodies_come_out_in_parts() {
        // Nothing that shrinks, so that something comes out.
        let mut state = 1u64;
        let noise: Vec<u8> = (0..1_000_000)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                state.to_be_bytes()[0]
            })
            .collect();
        for coding in Coding::ALL {
            let mut encoder = Encoder::new(coding, &FAST).unwrap();
            let mut made = Vec::new();
            let mut parts = 0;
            for piece in noise.chunks(8192) {
                let part = encoder.push(piece).unwrap();
                parts += usize::from(!part.is_empty());
                made.extend_from_slice(&part);
            }
            made.extend_from_slice(&encoder.finish().unwrap());
            assert!(parts > 2, "{coding:?}");
            assert_eq!(plain(coding, &made), noise, "{coding:?}");
        }
    }
}
