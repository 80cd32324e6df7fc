//! An event as `VEVENT` (RFC 5545 section 3.6.1).

use jiff::civil::DateTime;
use serde_json::Value;

use super::content_lines::{ContentLines, quoted};
use super::event_times::{EventTimes, in_utc, time, unix_seconds};
use super::plain_text::{plain_line, plain_text};
use super::zones::UsedZones;
use crate::cache::forms::members::{degrees, number, records, text};

/// The longest description, in bytes: one text must not fill the calendar.
const LONGEST_DESCRIPTION: usize = 32 * 1024;

/// Seconds of 2000-01-01: counted from there, revisions fit 31 bits until 2068.
const SEQUENCE_BEGIN: i64 = 946_684_800;

/// The last revision of an event, before the one that cancels it: a program may keep 31 bits.
const LAST_SEQUENCE: i64 = 2_147_483_646;

/// Writes an event. Returns false, and writes nothing, if it has no number or no start.
pub(super) fn write_event(event: &Value, lines: &mut ContentLines, zones: &mut UsedZones) -> bool {
    let (Some(id), Some(times)) = (number(event, "id"), EventTimes::of(event)) else {
        return false;
    };
    lines.plain("BEGIN", "VEVENT");
    lines.plain("UID", &uid(id, event));
    revision(event, lines);
    times.write(lines, zones);
    lines.text("SUMMARY", &plain_line(text(event, "title")));
    description(event, lines);
    place(event, lines);
    organizer(event, lines);
    let categories: Vec<String> = records(event, "categories")
        .map(|category| plain_line(text(category, "name")))
        .filter(|name| !name.is_empty())
        .collect();
    if !categories.is_empty() {
        lines.texts("CATEGORIES", &categories);
    }
    status(event, lines);
    if let Some(url) = url(text(event, "url")) {
        lines.plain("URL", &url);
    }
    image(event, lines);
    lines.plain("END", "VEVENT");
    true
}

/// The identity of an event, as the plugin's own export prints it: its number, and start and end as the site's clock shows
/// them, read as UTC.
fn uid(id: u64, event: &Value) -> String {
    let clock = |name| time(event, name).and_then(unix_seconds);
    let clock = |name| clock(name).map_or_else(String::new, |seconds| seconds.to_string());
    let host = host(text(event, "url")).unwrap_or("localhost");
    format!("{id}-{}-{}@{host}", clock("start_date"), clock("end_date"))
}

/// The host of a URL, without its port.
pub(super) fn host(url: &str) -> Option<&str> {
    let (_, behind) = url.split_once("://")?;
    let authority = behind.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    let host = match host.strip_prefix('[') {
        Some(literal) => literal.split(']').next()?,
        None => host.split(':').next()?,
    };
    (!host.is_empty()).then_some(host)
}

/// When the event was written and changed. Everything follows from the record, so that a calendar without changes has the
/// same bytes.
fn revision(event: &Value, lines: &mut ContentLines) {
    lines.plain("DTSTAMP", &stamp(event));
    if let Some(created) = time(event, "date_utc") {
        lines.plain("CREATED", &in_utc(created));
    }
    if let Some(modified) = modified(event) {
        lines.plain("LAST-MODIFIED", &in_utc(modified));
    }
    if let Some(sequence) = sequence(event) {
        lines.plain("SEQUENCE", &sequence.to_string());
    }
}

fn modified(event: &Value) -> Option<DateTime> {
    time(event, "modified_utc").or_else(|| time(event, "date_utc"))
}

/// The time of an event's last change. A calendar must have one: without a time of change, the start is as good as any.
fn stamp(event: &Value) -> String {
    let stamp = modified(event).or_else(|| time(event, "utc_start_date"));
    let stamp = stamp.or_else(|| time(event, "start_date"));
    stamp.map_or_else(|| "19700101T000000Z".to_owned(), in_utc)
}

/// The number of a revision.
fn sequence(event: &Value) -> Option<i64> {
    let seconds = modified(event).and_then(unix_seconds)?;
    Some((seconds - SEQUENCE_BEGIN).clamp(0, LAST_SEQUENCE))
}

fn description(event: &Value, lines: &mut ContentLines) {
    let mut description = plain_text(text(event, "description"));
    if description.is_empty() {
        description = plain_text(text(event, "excerpt"));
    }
    if description.len() > LONGEST_DESCRIPTION {
        description.truncate(description.floor_char_boundary(LONGEST_DESCRIPTION));
        description.push('…');
    }
    if !description.is_empty() {
        lines.text("DESCRIPTION", &description);
    }
}

/// The first venue: its name and address, and where it lies.
fn place(event: &Value, lines: &mut ContentLines) {
    let Some(venue) = records(event, "venue").next() else {
        return;
    };
    let region = ["stateprovince", "state", "province"];
    let region = region
        .map(|name| text(venue, name))
        .into_iter()
        .find(|text| !text.is_empty());
    let parts = ["venue", "address", "city"].map(|name| text(venue, name));
    let rest = ["zip", "country"].map(|name| text(venue, name));
    let parts = parts.into_iter().chain(region).chain(rest).map(plain_line);
    let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
    if !parts.is_empty() {
        lines.text("LOCATION", &parts.join(", "));
    }
    if let (Some(north), Some(east)) = (degrees(venue, "geo_lat", 90.0), degrees(venue, "geo_lng", 180.0)) {
        lines.plain("GEO", &format!("{north:.6};{east:.6}"));
    }
}

/// The first organizer with an address: there can only be one, and it must have one.
fn organizer(event: &Value, lines: &mut ContentLines) {
    let found = records(event, "organizer").find_map(|organizer| {
        let address = plain_line(text(organizer, "email"));
        Some((
            mail_address(&address)?.to_owned(),
            plain_line(text(organizer, "organizer")),
        ))
    });
    if let Some((address, name)) = found {
        lines.plain(
            &format!("ORGANIZER;CN={}", quoted(&name)),
            &format!("mailto:{address}"),
        );
    }
}

/// An address that can stand in a `mailto:` URL as it is.
fn mail_address(text: &str) -> Option<&str> {
    let is_usual = |byte: u8| byte.is_ascii_alphanumeric() || b"@.!#$&'*+-/=^_`{|}~".contains(&byte);
    let (name, host) = text.split_once('@')?;
    (!name.is_empty() && host.contains('.') && !host.contains('@') && text.bytes().all(is_usual))
        .then_some(text)
}

/// The site's status of an event that does not take place as it was planned.
fn status(event: &Value, lines: &mut ContentLines) {
    let stated = event
        .get("json_ld")
        .map_or("", |stated| text(stated, "eventStatus"));
    match stated.rsplit('/').next() {
        Some("EventCancelled") => lines.plain("STATUS", "CANCELLED"),
        Some("EventPostponed") => lines.plain("STATUS", "TENTATIVE"),
        _ => {}
    }
}

fn image(event: &Value, lines: &mut ContentLines) {
    let Some(address) = event.get("image").and_then(|image| url(text(image, "url"))) else {
        return;
    };
    let end = address
        .rsplit('.')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    let media_type = match end.as_str() {
        "jpg" | "jpeg" => "image/jpeg",
        "png" => "image/png",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "avif" => "image/avif",
        _ => return lines.plain("ATTACH", &address),
    };
    lines.plain(&format!("ATTACH;FMTTYPE={media_type}"), &address);
}

/// A web address; characters that cannot stand in one are encoded. `None` for anything else.
fn url(text: &str) -> Option<String> {
    let text = text.trim();
    let is_web = text.starts_with("https://") || text.starts_with("http://");
    is_web.then(|| {
        let encoded = |byte: u8| match byte {
            b'!'..=b'~' if !b"\"<>\\^`{|}".contains(&byte) => char::from(byte).to_string(),
            other => format!("%{other:02X}"),
        };
        text.bytes().map(encoded).collect()
    })
}
