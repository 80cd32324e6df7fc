//! What a word means as a time zone: an abbreviation, a name of the tz database, or nothing.

use jiff::tz::{TimeZone, TimeZoneDatabase};

use super::abbreviations::ABBREVIATIONS;
use super::offset::ZoneReading;

/// Names that PHP builds with older time zone data don't know (added in 2022 or later).
const RECENT: &[&str] = &["America/Ciudad_Juarez", "America/Coyhaique", "Europe/Kyiv"];

/// Files that a PHP with the system's time zone data takes as zones, and one with its own data does not.
const FILES: &[&str] = &["Factory", "localtime", "posixrules"];

/// First parts of zone names. A name with one of these that is not known here may be known elsewhere.
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

/// The longest abbreviation PHP looks up.
const LONGEST_ABBREVIATION: usize = 5;

/// The zone a word means: abbreviations first, in any case, then names of the tz database, in any case.
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
    // `Etc/Unknown` is a zone to jiff, and none to PHP.
    let zone = TimeZoneDatabase::bundled().get(word).ok()?;
    (!zone.is_unknown()).then_some(zone)
}

/// Whether the word begins with an area and goes on after its slash.
fn is_area_like(word: &str) -> bool {
    let (area, place) = word.split_once('/').unwrap_or_default();
    !place.is_empty() && is_one_of(area, AREAS)
}

/// Whether the word is a name after slashes, which a PHP with the system's zone files finds.
fn is_path(word: &str) -> bool {
    let name = word.trim_start_matches('/');
    name.len() < word.len() && (named(name).is_some() || is_one_of(name, FILES))
}

fn is_one_of(word: &str, list: &[&str]) -> bool {
    list.iter().any(|known| word.eq_ignore_ascii_case(known))
}
