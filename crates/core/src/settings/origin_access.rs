//! The requirements of a site for access: the credentials of its web server, and its authority.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderValue;

/// Basic credentials that the web server before a site requires, as staging sites do.
#[derive(Clone, PartialEq, Eq)]
pub struct BasicAuth(HeaderValue);

/// A file without the content that its key requires. The reason does not quote it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnfitFile(pub(crate) Cow<'static, str>);

const NO_CREDENTIALS: UnfitFile = UnfitFile(Cow::Borrowed(
    "the file holds no credentials: it has one line, name:password",
));

/// Certificates of authorities that are trusted besides the system's, as DER; clones share them.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct TrustedCertificates(Arc<[Vec<u8>]>);

// === impl BasicAuth ===

impl BasicAuth {
    /// Takes the one line of a file, `name:password`; white space around it does not count.
    ///
    /// # Errors
    ///
    /// When it is no such line. The error does not hold it.
    pub fn parse(file: &[u8]) -> Result<Self, UnfitFile> {
        let line = file.trim_ascii();
        let has_name = line
            .iter()
            .position(|byte| *byte == b':')
            .is_some_and(|end| end > 0);
        if !has_name || line.iter().any(u8::is_ascii_control) {
            return Err(NO_CREDENTIALS);
        }
        let value = format!("Basic {}", STANDARD.encode(line));
        let mut value = HeaderValue::try_from(value).map_err(|_| NO_CREDENTIALS)?;
        value.set_sensitive(true);
        Ok(Self(value))
    }

    /// The value of `Authorization`, marked as sensitive.
    pub const fn header(&self) -> &HeaderValue {
        &self.0
    }
}

impl fmt::Debug for BasicAuth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BasicAuth(redacted)")
    }
}

// === impl TrustedCertificates ===

impl TrustedCertificates {
    /// The DER of each certificate.
    pub fn ders(&self) -> impl Iterator<Item = &[u8]> {
        self.0.iter().map(Vec::as_slice)
    }
}

impl FromIterator<Vec<u8>> for TrustedCertificates {
    fn from_iter<T: IntoIterator<Item = Vec<u8>>>(ders: T) -> Self {
        Self(ders.into_iter().collect())
    }
}

impl fmt::Debug for TrustedCertificates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TrustedCertificates({})", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_is_taken_and_never_printed() {
        let taken = BasicAuth::parse(b" staging:s3cret:x \n").unwrap();
        assert_eq!(taken.header(), "Basic c3RhZ2luZzpzM2NyZXQ6eA==");
        assert!(taken.header().is_sensitive());
        assert_eq!(format!("{taken:?}"), "BasicAuth(redacted)");
        for file in [&b""[..], b"name", b":password", b"a:b\nc:d", b"a\x01:b"] {
            assert_eq!(BasicAuth::parse(file), Err(NO_CREDENTIALS), "{file:?}");
        }
        assert!(BasicAuth::parse("ü:ß".as_bytes()).is_ok());
    }
}
