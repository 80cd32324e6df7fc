//! The meaning of a word as a time zone: an abbreviation, a name of the tz database, or nothing.

use jiff::tz::{TimeZone, TimeZoneDatabase};

use super::abbreviations::ABBREVIATIONS;

/// The zone that a text means.
#[derive(Debug, Clone, PartialEq)]
pub enum ZoneReading {
    /// The seconds east of UTC; abbreviations have a fixed offset too.
    Offset(i64),
    /// A zone of the tz database.
    Named(TimeZone),
    /// A name that some builds of PHP have and others do not.
    Unsure,
    /// Not a zone in PHP.
    Unknown,
}

/// Names added in 2022 or later, which PHP builds with older time zone data do not have.
const RECENT: &[&str] = &["America/Ciudad_Juarez", "America/Coyhaique", "Europe/Kyiv"];

/// Files that PHP accepts as zones if it uses the system's time zone data, but not if it uses its own.
const FILES: &[&str] = &["Factory", "localtime", "posixrules"];

/// The first parts of zone names. An unknown name that starts with one of them may be known to another PHP.
const AREAS: &[&str] = &[
    "Africa",
    "America",
    "Antarctica",
    "Arctic",
    "Asia",
    "Atlantic",
    "Australia",
    "Brazil",
    "Canada",
    "Chile",
    "Etc",
    "Europe",
    "Indian",
    "Mexico",
    "Pacific",
    "SystemV",
    "US",
    "posix",
    "right",
];

/// The length of the longest abbreviation that PHP looks up.
const LONGEST_ABBREVIATION: usize = 5;

/// The zone that a word means: first abbreviations, then names of the tz database, both in any case.
pub(super) fn look_up(word: &[u8]) -> ZoneReading {
    let Ok(word) = std::str::from_utf8(word) else {
        return ZoneReading::Unknown;
    };
    if let Some(seconds) = abbreviation(word) {
        return ZoneReading::Offset(seconds);
    }
    if is_one_of(word, RECENT) || is_one_of(word, FILES) {
        return ZoneReading::Unsure;
    }
    match named(word) {
        Some(zone) => ZoneReading::Named(zone),
        None if is_area_like(word) || is_path(word) => ZoneReading::Unsure,
        None => ZoneReading::Unknown,
    }
}

fn abbreviation(word: &str) -> Option<i64> {
    let known = ABBREVIATIONS
        .iter()
        .find(|(name, _)| word.eq_ignore_ascii_case(name))?;
    (word.len() <= LONGEST_ABBREVIATION).then_some(known.1)
}

fn named(word: &str) -> Option<TimeZone> {
    // `Etc/Unknown` is a zone in jiff, but not in PHP.
    let zone = TimeZoneDatabase::bundled().get(word).ok()?;
    (!zone.is_unknown()).then_some(zone)
}

/// True if the word begins with an area and continues after its slash.
fn is_area_like(word: &str) -> bool {
    let (area, place) = word.split_once('/').unwrap_or_default();
    !place.is_empty() && is_one_of(area, AREAS)
}

/// True if the word is a name after slashes, which PHP finds if it uses the system's zone files.
fn is_path(word: &str) -> bool {
    let name = word.trim_start_matches('/');
    name.len() < word.len() && (named(name).is_some() || is_one_of(name, FILES))
}

fn is_one_of(word: &str, list: &[&str]) -> bool {
    list.iter().any(|known| word.eq_ignore_ascii_case(known))
}
