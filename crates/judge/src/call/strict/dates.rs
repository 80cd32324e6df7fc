//! Absolute dates: `YYYY-MM-DD`, optionally followed by a blank or a `T` and `HH:MM` or `HH:MM:SS`.

use jiff::civil::{Date, DateTime, Time};

/// The moment that an absolute date names, without a time zone; `None` for every other spelling.
pub(super) fn absolute(text: &str) -> Option<DateTime> {
    let date = date(text.get(..10)?)?;
    let time = match text.get(10..)? {
        "" => Time::midnight(),
        rest => time(rest.strip_prefix([' ', 'T'])?)?,
    };
    Some(date.to_datetime(time))
}

fn date(text: &str) -> Option<Date> {
    let [year, month, day] = numbers(text, '-', [4, 2, 2])?;
    Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?)
        .ok()
        .filter(|date| date.year() >= 1)
}

fn time(text: &str) -> Option<Time> {
    let seconds = if text.len() == 5 {
        format!("{text}:00")
    } else {
        text.to_owned()
    };
    let [hour, minute, second] = numbers(&seconds, ':', [2, 2, 2])?;
    let small = |number: i16| i8::try_from(number).ok();
    Time::new(small(hour)?, small(minute)?, small(second)?, 0).ok()
}

/// Three numbers of fixed widths between separators.
fn numbers(text: &str, separator: char, widths: [usize; 3]) -> Option<[i16; 3]> {
    let mut parts = text.split(separator);
    let mut read = [0; 3];
    for (number, width) in read.iter_mut().zip(widths) {
        let part = parts.next()?;
        if part.len() != width || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        *number = part.parse().ok()?;
    }
    parts.next().is_none().then_some(read)
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
            "1822500000",
        ] {
            assert!(absolute(no).is_none(), "{no}");
        }
    }
}
