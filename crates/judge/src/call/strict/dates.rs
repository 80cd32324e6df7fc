//! Absolute dates: `YYYY-MM-DD`, optionally followed by a blank or a `T` and `HH:MM` or `HH:MM:SS`.

use jiff::civil::DateTime;

/// The moment that an absolute date names, without a time zone; `None` for every other spelling.
pub(super) fn absolute(text: &str) -> Option<DateTime> {
    let is_digit = |character: char| character.is_ascii_digit();
    let is_absolute = matches!(
        text.replace(is_digit, "0").as_str(),
        "0000-00-00"
            | "0000-00-00 00:00"
            | "0000-00-00T00:00"
            | "0000-00-00 00:00:00"
            | "0000-00-00T00:00:00"
    );
    // jiff takes a leap second for the second before it.
    let is_of_clock = !text.ends_with(":60");
    let moment: DateTime = text.parse().ok().filter(|_| is_absolute && is_of_clock)?;
    (moment.year() >= 1).then_some(moment)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_absolute_dates_only() {
        for yes in [
            "2027-01-15",
            "2027-01-15 10:00",
            "2027-01-15T10:00:59",
            "0001-01-01",
            "9999-12-31",
        ] {
            assert!(absolute(yes).is_some(), "{yes}");
        }
        for no in [
            "",
            "tomorrow",
            "2027-02-30",
            "2027-1-5",
            "2027-01-15Z",
            "0000-01-01",
            "2027-01-15 25:00",
            "2027-01-15 24:00",
            "2027-01-15 10:60",
            "2027-01-15 10:00:60",
            "2027-01-15t10:00",
            "2027-01-15 10",
            "20270115T1000",
            "1822500000",
        ] {
            assert!(absolute(no).is_none(), "{no}");
        }
    }
}
