//! The parts of a certificate (RFC 5280 4.1) in its DER form.

pub(super) const SEQUENCE: u8 = 0x30;
const INTEGER: u8 = 0x02;
const VERSION: u8 = 0xA0;

/// The unread rest of a sequence of DER values.
pub(super) struct DerReader<'a>(pub(super) &'a [u8]);

/// The signed part of a certificate, from its validity on; `None` if it cannot be read.
pub(super) fn body(certificate: &[u8]) -> Option<DerReader<'_>> {
    let mut outer = DerReader(certificate);
    let mut whole = DerReader(outer.expect(SEQUENCE)?);
    let mut body = DerReader(whole.expect(SEQUENCE)?);
    let (tag, _) = body.next()?;
    if tag == VERSION {
        // The serial number. It comes first if there is no version.
        body.expect(INTEGER)?;
    }
    // The signature algorithm and the issuer.
    body.expect(SEQUENCE)?;
    body.expect(SEQUENCE)?;
    Some(body)
}

// === impl DerReader ===

impl<'a> DerReader<'a> {
    /// Returns the content of the next value if it has this tag.
    pub(super) fn expect(&mut self, tag: u8) -> Option<&'a [u8]> {
        self.next()
            .filter(|(found, _)| *found == tag)
            .map(|(_, value)| value)
    }

    /// Returns the tag and the content of the next value.
    pub(super) fn next(&mut self) -> Option<(u8, &'a [u8])> {
        let (&[tag, first], rest) = self.0.split_first_chunk()?;
        let (length, rest) = if first < 0x80 {
            (usize::from(first), rest)
        } else {
            let (bytes, rest) = rest.split_at_checked(usize::from(first & 0x7F))?;
            let length = bytes.iter().try_fold(0_usize, |length, &byte| {
                length.checked_mul(256)?.checked_add(byte.into())
            })?;
            (length, rest)
        };
        let (value, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some((tag, value))
    }
}
