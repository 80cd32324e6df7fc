//! Reads of one record, by number and by slug.

use std::fmt::Write;

use calendar_edge_judge::contract::{EVENT_IN_TRASH, EVENT_UNKNOWN, Kind};
use calendar_edge_judge::wordpress::value::numeric::is_numeric;
use http::StatusCode;
use serde_json::json;

use super::ask::Ask;
use super::composed::{CATEGORY, Detail, TAG};
use super::list_page::sentence;
use super::record_copy::{CopyResponse, RecordCopy};
use crate::facts::PostKind;

// === impl RecordCopy ===

impl RecordCopy {
    pub(super) fn by_number(&self, kind: Kind, number: Option<u64>) -> Result<CopyResponse, Ask> {
        let number = number.filter(|number| *number != 0).ok_or(Ask::Value)?;
        let Some(sought) = record_kind(kind) else {
            return self.term_by_number(kind, number);
        };
        let place = self.place(number);
        let found = place.filter(|place| {
            self.records
                .get(*place)
                .is_some_and(|record| record.kind == sought)
        });
        match found {
            Some(place) => self.read(place),
            None if sought != PostKind::Event || !self.has(&EVENT_UNKNOWN)? => self.invalid("id"),
            // Whether another kind of post has the number is known of venues and organizers only.
            None if place.is_some() => self.refusal(StatusCode::BAD_REQUEST, "rest-invalid-event-id"),
            None => Err(Ask::Reference),
        }
    }

    /// The record with a slug. WordPress looks for a path, so that a record below another one is not found.
    pub(super) fn by_slug(&self, kind: Kind, slug: &[u8]) -> Result<CopyResponse, Ask> {
        let sought = record_kind(kind).ok_or(Ask::Slug)?;
        let slug = looked_up(slug).ok_or(Ask::Slug)?;
        let is_root = |place: &usize| self.records.get(*place).is_some_and(|record| record.parent == 0);
        let mut found = self
            .with_slug(sought, &slug)
            .iter()
            .filter(|place| is_root(place));
        match (found.next(), found.next()) {
            (Some(place), None) => self.read(*place),
            (None, _) => self.invalid("slug"),
            // Which of two is found depends on the order in which the database gives them.
            (Some(_), Some(_)) => Err(Ask::Slug),
        }
    }

    fn read(&self, place: usize) -> Result<CopyResponse, Ask> {
        let record = self.records.get(place).ok_or(Ask::Missing)?;
        let refused = match record.kind {
            PostKind::Event if record.status == "trash" && self.has(&EVENT_IN_TRASH)? => {
                Some("event-no-longer-available")
            }
            _ if record.is_public() => {
                (record.kind == PostKind::Event && record.password).then_some("event-password-protected")
            }
            PostKind::Event => Some("event-not-accessible"),
            PostKind::Venue => Some("venue-not-accessible"),
            PostKind::Organizer => Some("organizer-not-accessible"),
        };
        if let Some(code) = refused {
            return self.refusal(StatusCode::FORBIDDEN, code);
        }
        if record.kind == PostKind::Event && record.occurrences.is_empty() {
            // Without dates, its structured data has the second of the response.
            return Err(Ask::Second);
        }
        let mut body = Vec::new();
        self.print(place, Detail::Single, &mut body)?;
        Ok(CopyResponse::plain(StatusCode::OK, body))
    }

    fn term_by_number(&self, kind: Kind, number: u64) -> Result<CopyResponse, Ask> {
        let found = self.term(number).filter(|term| term.taxonomy == taxonomy(kind));
        let Some(term) = found else {
            return self.invalid("id");
        };
        let links = term.links.as_ref().ok_or(Ask::Printed)?;
        let listed = term
            .body
            .as_ref()
            .ok_or(Ask::Printed)?
            .as_str()
            .strip_suffix('}')
            .ok_or(Ask::Printed)?;
        let body = [listed, ",\"_links\":", links.as_str(), "}"].concat();
        Ok(CopyResponse::plain(StatusCode::OK, body.into_bytes()))
    }

    /// The refusal of an argument that names no record.
    fn invalid(&self, name: &str) -> Result<CopyResponse, Ask> {
        let word = |code: &str| self.site.words.get(code).ok_or(Ask::Site);
        let body = json!({
            "code": "rest_invalid_param",
            "message": word("rest_invalid_param")?.replacen("%s", name, 1),
            "data": {"status": 400, "params": {name: word("invalid")?}, "details": []},
        });
        Ok(CopyResponse::plain(StatusCode::BAD_REQUEST, sentence(&body)))
    }
}

/// The kind of a record that is a post.
pub(super) const fn record_kind(kind: Kind) -> Option<PostKind> {
    match kind {
        Kind::Event => Some(PostKind::Event),
        Kind::Venue => Some(PostKind::Venue),
        Kind::Organizer => Some(PostKind::Organizer),
        Kind::Category | Kind::Tag => None,
    }
}

/// The taxonomy of a kind of term.
pub(super) const fn taxonomy(kind: Kind) -> &'static str {
    match kind {
        Kind::Tag => TAG,
        Kind::Event | Kind::Venue | Kind::Organizer | Kind::Category => CATEGORY,
    }
}

/// The slug that WordPress looks for. None for one that it changes in ways that are not followed here, or that PHP
/// compares as a number.
fn looked_up(slug: &[u8]) -> Option<String> {
    let is_plain = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(byte);
    let is_safe = slug.iter().all(|byte| is_plain(byte) || !byte.is_ascii())
        && !is_numeric(slug)
        && !slug.starts_with(b"-")
        && !slug.ends_with(b"-")
        && !slug.windows(2).any(|pair| pair == b"--");
    if !is_safe || std::str::from_utf8(slug).is_err() {
        return None;
    }
    let mut text = String::with_capacity(slug.len());
    for byte in slug {
        match byte {
            _ if byte.is_ascii() => text.push(char::from(*byte)),
            _ => {
                let _ = write!(text, "%{byte:02x}");
            }
        }
    }
    // Longer ones are cut.
    (text.len() <= 200).then_some(text)
}
