//! The codings that the edge can make.

use http::HeaderValue;

/// A content coding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Coding {
    /// Brotli, `br`.
    Brotli,
    /// Zstandard, `zstd`.
    Zstd,
    /// `gzip`.
    Gzip,
}

// === impl Coding ===

impl Coding {
    /// Every coding; of those that a client likes equally, the first one is used.
    pub const ALL: [Self; 3] = [Self::Brotli, Self::Zstd, Self::Gzip];

    /// The name in `Accept-Encoding` and `Content-Encoding`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Brotli => "br",
            Self::Zstd => "zstd",
            Self::Gzip => "gzip",
        }
    }

    /// The value of `Content-Encoding`.
    pub const fn value(self) -> HeaderValue {
        HeaderValue::from_static(self.name())
    }

    /// True if a client means this coding by a name; names have no case, and `x-gzip` is `gzip`.
    pub(super) fn is_called(self, name: &str) -> bool {
        name.eq_ignore_ascii_case(self.name()) || (self == Self::Gzip && name.eq_ignore_ascii_case("x-gzip"))
    }
}
