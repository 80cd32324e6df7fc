//! The expiry time of a certificate (RFC 5280 4.1.2.5), read from its DER form.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::der::{DerReader, SEQUENCE, body};

const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;

/// The end of a certificate's validity in seconds since 1970; `None` if it cannot be read.
pub(super) fn not_after(certificate: &[u8]) -> Option<i64> {
    let mut body = body(certificate)?;
    let mut validity = DerReader(body.expect(SEQUENCE)?);
    validity.next()?;
    let (tag, time) = validity.next()?;
    seconds(tag, std::str::from_utf8(time).ok()?)
}

/// Parses `YYMMDDHHMMSSZ` or `YYYYMMDDHHMMSSZ`, the only forms that certificates may use.
fn seconds(tag: u8, time: &str) -> Option<i64> {
    let digits = time.strip_suffix('Z')?;
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (year, rest) = match (tag, digits.len()) {
        (UTC_TIME, 12) => {
            let (year, rest) = digits.split_at(2);
            let year: i16 = year.parse().ok()?;
            (if year < 50 { 2000 + year } else { 1900 + year }, rest)
        }
        (GENERALIZED_TIME, 14) => {
            let (year, rest) = digits.split_at(4);
            (year.parse().ok()?, rest)
        }
        _ => return None,
    };
    let part = |at: usize| rest.get(at..at + 2)?.parse::<i8>().ok();
    let moment = DateTime::new(year, part(0)?, part(2)?, part(4)?, part(6)?, part(8)?, 0).ok()?;
    Some(moment.to_zoned(TimeZone::UTC).ok()?.timestamp().as_second())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rcgen::{CertificateParams, KeyPair, date_time_ymd};

    use super::*;

    fn certificate(year: i32) -> Vec<u8> {
        let mut params = CertificateParams::new(["events.example".to_owned()]).unwrap();
        params.not_after = date_time_ymd(year, 3, 4);
        let key = KeyPair::generate().unwrap();
        params.self_signed(&key).unwrap().der().to_vec()
    }

    #[test]
    fn reads_both_forms_of_time() {
        for (year, expected) in [(1999, 920_505_600), (2049, 2_498_428_800), (2050, 2_529_964_800)] {
            assert_eq!(not_after(&certificate(year)), Some(expected), "{year}");
        }
    }

    #[test]
    fn other_forms_of_time_are_not_guessed() {
        for (tag, time) in [
            (UTC_TIME, "300101000000"),
            (UTC_TIME, "3001010000Z"),
            (UTC_TIME, "20300101000000Z"),
            (UTC_TIME, "30010100000\u{e9}Z"),
            (UTC_TIME, "301301000000Z"),
            (GENERALIZED_TIME, "20300101000000+0100"),
            (GENERALIZED_TIME, "300101000000Z"),
            (0x02, "300101000000Z"),
        ] {
            assert_eq!(seconds(tag, time), None, "{time}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn no_damage_panics_the_reader(at in any::<prop::sample::Index>(), byte: u8, cut in any::<prop::sample::Index>()) {
            let mut der = certificate(2049);
            let at = at.index(der.len());
            der[at] = byte;
            der.truncate(cut.index(der.len() + 1));
            not_after(&der);
        }
    }
}
