//! The proleptic Gregorian calendar without bounds, because attackers choose the years.

/// The days from 1970-01-01 to a date. Its month and day may lie outside their usual range.
pub(super) fn day_number(year: i128, month: i128, day: i128) -> i128 {
    let months = year * 12 + month - 1;
    let (year, month) = (months.div_euclid(12), months.rem_euclid(12));
    // Years that begin in March end with the leap day.
    let march_year = if month < 2 { year - 1 } else { year };
    let march_month = (month + 10) % 12;
    let leap_days = march_year.div_euclid(4) - march_year.div_euclid(100) + march_year.div_euclid(400);
    let day_of_year = (153 * march_month + 2) / 5;
    march_year * 365 + leap_days + day_of_year + day - 719_469
}

/// The year, month and day of a day number, counted from 1970-01-01.
pub(super) fn date(day_number: i128) -> (i128, i128, i128) {
    let days = day_number + 719_468;
    let cycle = days.div_euclid(146_097);
    let day_of_cycle = days.rem_euclid(146_097);
    let year_of_cycle =
        (day_of_cycle - day_of_cycle / 1460 + day_of_cycle / 36_524 - day_of_cycle / 146_096) / 365;
    let day_of_year = day_of_cycle - (365 * year_of_cycle + year_of_cycle / 4 - year_of_cycle / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 {
        march_month + 3
    } else {
        march_month - 9
    };
    let year = cycle * 400 + year_of_cycle + i128::from(month <= 2);
    (year, month, day)
}

/// The weekday of a date; Sunday is 0.
pub(super) fn weekday(year: i128, month: i128, day: i128) -> i128 {
    (day_number(year, month, day) + 4).rem_euclid(7)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_days_from_1970() {
        let cases = [
            ((1970, 1, 1), 0),
            ((1970, 1, 0), -1),
            ((1970, 13, 1), 365),
            ((2000, 2, 29), 11_016),
            ((2000, 2, 30), 11_017),
            ((0, 3, 1), -719_468),
            ((1969, -10, 1), -700),
        ];
        for ((year, month, day), number) in cases {
            assert_eq!(day_number(year, month, day), number, "{year}-{month}-{day}");
        }
    }

    #[test]
    fn finds_the_date_of_every_day_number() {
        for number in (-800_000..800_000).step_by(37) {
            let (year, month, day) = date(number);
            assert_eq!(day_number(year, month, day), number);
            assert!((1..=12).contains(&month) && (1..=31).contains(&day));
        }
        assert_eq!(weekday(1970, 1, 1), 4);
        assert_eq!(weekday(2026, 11, 20), 5);
    }
}
