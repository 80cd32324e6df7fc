//! Durations and sizes in the form of the configuration file: `"500ms"`, `"30s"`, `"8 MiB"`.

use std::time::Duration;

const DURATION_UNITS: [(&str, u64); 4] = [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000)];

const SIZE_UNITS: [(&str, u64); 4] = [("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)];

/// Reads a whole number with its unit, `ms`, `s`, `m` or `h`; blanks between them are allowed.
pub fn duration(text: &str) -> Option<Duration> {
    quantity(text, &DURATION_UNITS).map(Duration::from_millis)
}

/// Reads a whole number with its unit, `B`, `KiB`, `MiB` or `GiB`; a bare number means bytes.
pub fn size(text: &str) -> Option<u64> {
    text.parse()
        .ok()
        .filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()))
        .or_else(|| quantity(text, &SIZE_UNITS))
}

/// Writes a duration the way [`duration`] reads it, in the largest unit that keeps it whole.
pub fn show_duration(duration: Duration) -> String {
    if duration.is_zero() {
        return "0s".to_owned();
    }
    let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    let (unit, factor) = largest(millis, &DURATION_UNITS);
    format!("{}{unit}", millis / factor)
}

/// Writes a size the way [`size`] reads it, in the largest unit that keeps it whole.
pub fn show_size(bytes: u64) -> String {
    let (unit, factor) = largest(bytes, &SIZE_UNITS);
    format!("{} {unit}", bytes / factor)
}

fn quantity(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at_checked(digits)?;
    let (_, factor) = units.iter().find(|(name, _)| *name == unit.trim_start())?;
    number.parse::<u64>().ok()?.checked_mul(*factor)
}

fn largest<'a>(amount: u64, units: &[(&'a str, u64)]) -> (&'a str, u64) {
    units
        .iter()
        .rev()
        .find(|(_, factor)| amount >= *factor && amount.is_multiple_of(*factor))
        .or(units.first())
        .copied()
        .unwrap_or(("", 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_each_unit() {
        let cases = [
            ("500ms", 500),
            ("30s", 30_000),
            ("30 s", 30_000),
            ("2m", 120_000),
            ("1h", 3_600_000),
        ];
        for (text, millis) in cases {
            assert_eq!(duration(text), Some(Duration::from_millis(millis)), "{text}");
        }
        let cases = [
            ("512", 512),
            ("512 B", 512),
            ("8 KiB", 8192),
            ("8MiB", 8 << 20),
            ("1 GiB", 1 << 30),
        ];
        for (text, bytes) in cases {
            assert_eq!(size(text), Some(bytes), "{text}");
        }
    }

    #[test]
    fn refuses_what_could_be_read_two_ways() {
        for text in [
            "",
            "s",
            "30",
            "-1s",
            "+1s",
            "1.5s",
            "1m30s",
            "1 S",
            "99999999999999999999s",
        ] {
            assert_eq!(duration(text), None, "{text}");
        }
        for text in ["", "MiB", "+8", "-8", "8 MB", "8M", "8 mib", "99999999999 GiB"] {
            assert_eq!(size(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn reads_what_it_writes(amount in 0_u64..1 << 50) {
            prop_assert_eq!(size(&show_size(amount)), Some(amount));
            let length = Duration::from_millis(amount);
            prop_assert_eq!(duration(&show_duration(length)), Some(length));
        }
    }
}
