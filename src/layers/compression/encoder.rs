//! The codecs behind one type: bytes go in, compressed bytes come out when there are enough of them.

use std::io::{self, Write};

use brotli::CompressorWriter;
use brotli::enc::BrotliEncoderParams;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;

use calendar_edge_core::cache::compression::Coding;

/// The work that a byte is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effort {
    /// For one client, while the response passes.
    Fast,
    /// For all clients that will get a stored response.
    Thorough,
}

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
    pub(super) fn new(coding: Coding, effort: Effort) -> io::Result<Self> {
        Ok(match coding {
            Coding::Brotli => {
                let parameters = brotli(effort);
                Self::Brotli(Box::new(CompressorWriter::with_params(
                    Vec::new(),
                    BROTLI_BUFFER,
                    &parameters,
                )))
            }
            Coding::Zstd => Self::Zstd(zstd(effort)?),
            Coding::Gzip => Self::Gzip(GzEncoder::new(Vec::new(), gzip(effort))),
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
pub(super) fn compressed(coding: Coding, effort: Effort, body: &[u8]) -> io::Result<Bytes> {
    let mut encoder = Encoder::new(coding, effort)?;
    let begun = encoder.push(body)?;
    let rest = encoder.finish()?;
    if begun.is_empty() {
        return Ok(rest);
    }
    Ok([begun, rest].concat().into())
}

// The levels are measured: decision 0030. Windows are small, because a slow client keeps one.

fn brotli(effort: Effort) -> BrotliEncoderParams {
    BrotliEncoderParams {
        quality: match effort {
            Effort::Fast => 4,
            Effort::Thorough => 9,
        },
        lgwin: match effort {
            Effort::Fast => 17,
            Effort::Thorough => 19,
        },
        ..BrotliEncoderParams::default()
    }
}

fn zstd(effort: Effort) -> io::Result<zstd::stream::write::Encoder<'static, Vec<u8>>> {
    let (level, window_log) = match effort {
        Effort::Fast => (3, 17),
        Effort::Thorough => (9, 19),
    };
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), level)?;
    encoder.window_log(window_log)?;
    Ok(encoder)
}

fn gzip(effort: Effort) -> Compression {
    Compression::new(match effort {
        Effort::Fast => 6,
        Effort::Thorough => 9,
    })
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
            for effort in [Effort::Fast, Effort::Thorough] {
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
            let mut encoder = Encoder::new(coding, Effort::Fast).unwrap();
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
