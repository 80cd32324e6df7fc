//! The names that a certificate is for (RFC 5280 4.2.1.6), read from its DER form.

use std::net::IpAddr;

use super::der::{DerReader, SEQUENCE, body};

const BOOLEAN: u8 = 0x01;
const OCTET_STRING: u8 = 0x04;
const OBJECT_IDENTIFIER: u8 = 0x06;
const EXTENSIONS: u8 = 0xA3;
const DNS_NAME: u8 = 0x82;
const ADDRESS: u8 = 0x87;

/// The identifier of the extension that holds the names, 2.5.29.17.
const SUBJECT_ALT_NAME: [u8; 3] = [0x55, 0x1D, 0x11];

/// The host names and addresses that a certificate is for; empty if it states none readably.
pub(super) fn names(certificate: &[u8]) -> Vec<String> {
    let Some(extension) = subject_alt_name(certificate) else {
        return Vec::new();
    };
    let mut outer = DerReader(extension);
    let mut listed = DerReader(outer.expect(SEQUENCE).unwrap_or_default());
    let entries = std::iter::from_fn(|| listed.next());
    entries.filter_map(name).collect()
}

fn name((tag, value): (u8, &[u8])) -> Option<String> {
    match tag {
        DNS_NAME if value.is_ascii() => std::str::from_utf8(value).ok().map(str::to_owned),
        ADDRESS => {
            let four = <[u8; 4]>::try_from(value).map(IpAddr::from);
            let address = four.or_else(|_| <[u8; 16]>::try_from(value).map(IpAddr::from));
            Some(address.ok()?.to_string())
        }
        _ => None,
    }
}

fn subject_alt_name(certificate: &[u8]) -> Option<&[u8]> {
    let mut body = body(certificate)?;
    let extensions = std::iter::from_fn(|| body.next()).find(|(tag, _)| *tag == EXTENSIONS)?;
    let mut outer = DerReader(extensions.1);
    let mut listed = DerReader(outer.expect(SEQUENCE)?);
    std::iter::from_fn(|| listed.next()).find_map(|(_, extension)| {
        let mut extension = DerReader(extension);
        if extension.expect(OBJECT_IDENTIFIER)? != SUBJECT_ALT_NAME {
            return None;
        }
        match extension.next()? {
            (BOOLEAN, _) => extension.expect(OCTET_STRING),
            (OCTET_STRING, value) => Some(value),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rcgen::{CertificateParams, KeyPair};

    use super::*;

    fn certificate(names: &[&str]) -> Vec<u8> {
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        let params = CertificateParams::new(names).unwrap();
        params
            .self_signed(&KeyPair::generate().unwrap())
            .unwrap()
            .der()
            .to_vec()
    }

    #[test]
    fn names_and_addresses_are_read() {
        let expected = ["events.example", "*.club.example", "192.0.2.7", "2001:db8::1"];
        assert_eq!(names(&certificate(&expected)), expected);
        assert!(names(&certificate(&[])).is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn no_damage_panics_the_reader(at in any::<prop::sample::Index>(), byte: u8, cut in any::<prop::sample::Index>()) {
            let mut der = certificate(&["events.example", "192.0.2.7"]);
            let at = at.index(der.len());
            der[at] = byte;
            der.truncate(cut.index(der.len() + 1));
            names(&der);
        }
    }
}
