//! All records of a site at one moment, arranged for the questions of everybody.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use bytes::Bytes;
use calendar_edge_judge::contract::{DatedDifference, Kind, LISTED_ONCE};
use http::{HeaderName, HeaderValue, Response, StatusCode};
use jiff::tz::TimeZone;
use jiff::{Timestamp, civil::DateTime};

use super::ask::Ask;
use super::composed::Gaps;
use super::list_page::sentence;
use super::question::{CopyQuestion, CopyTarget};
use crate::facts::{CopySite, Occurrence, PostKind, RecordFact, TermRecord};
use crate::unix_time::UnixTime;

/// The records of a site, the rows of its list of events in their order, and what is looked up.
#[derive(Debug)]
pub struct RecordCopy {
    pub(super) site: Arc<CopySite>,
    /// By their numbers.
    pub(super) records: Vec<Arc<RecordFact>>,
    /// Where each record has to be completed, beside the records.
    pub(super) gaps: Vec<Gaps>,
    /// The listed occurrences, as a list of events without a search sorts them.
    pub(super) rows: Vec<EventRow>,
    /// The places of the listed events that have something.
    traits: HashMap<EventTrait, Vec<usize>>,
    /// Whether a listed event takes place several times.
    has_several: bool,
    /// The places of all records, by kind and slug.
    by_slug: Vec<usize>,
    terms: HashMap<u64, usize>,
    /// The zone of bounds.
    pub(super) zone: Option<TimeZone>,
    /// The zone to which dates of UTC are converted.
    pub(super) local_zone: Option<TimeZone>,
    /// Whether rows are chosen by the clock of UTC.
    pub(super) is_utc: bool,
}

/// An occurrence of a listed event: seconds of the clocks by which it is chosen, and by which it is sorted.
#[derive(Debug, Clone, Copy)]
pub(super) struct EventRow {
    pub(super) start: i64,
    pub(super) end: i64,
    /// The start by which lists are sorted.
    pub(super) first: i64,
    /// When the post was published.
    pub(super) date: i64,
    /// The place of the record.
    pub(super) post: usize,
}

/// What lists of events are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum EventTrait {
    Venue(u64),
    Organizer(u64),
    Term(u64),
    Parent(u64),
    Featured,
}

/// What the site would answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopyResponse {
    /// The status.
    pub status: StatusCode,
    /// The values of `X-TEC-Total` and `X-TEC-TotalPages`; none where the site sends neither.
    pub totals: Option<(u64, u64)>,
    /// The JSON body.
    pub body: Bytes,
    /// Whether records stand on the page, or at its ends, that the site sorts by nothing further. Their order is the one
    /// that most databases give; it holds as far as it was seen.
    pub is_tied: bool,
}

/// The headers of every response of WordPress's REST server.
const FIXED_HEADERS: [(&str, &str); 5] = [
    ("content-type", "application/json; charset=UTF-8"),
    ("x-robots-tag", "noindex"),
    ("x-content-type-options", "nosniff"),
    (
        "access-control-expose-headers",
        "X-WP-Total, X-WP-TotalPages, Link",
    ),
    (
        "access-control-allow-headers",
        "Authorization, X-WP-Nonce, Content-Disposition, Content-MD5, Content-Type",
    ),
];

// === impl RecordCopy ===

impl RecordCopy {
    /// Arranges the records of a site. Those without an order are put into the order of their numbers.
    pub fn new(site: Arc<CopySite>, mut records: Vec<Arc<RecordFact>>) -> Self {
        records.sort_unstable_by_key(|record| record.id);
        let gaps = records.iter().map(|record| Gaps::of(record)).collect();
        let is_utc = site.mode == crate::facts::ZoneMode::Site || site.bounds_zone == "UTC";
        // To convert a date, the plugin takes the offset 0 for London's, as PHP does; to read a bound, for UTC.
        let is_offset_zero = site.bounds_zone == "UTC" && site.zone == "+00:00";
        let local_zone = if is_offset_zero {
            "Europe/London"
        } else {
            &site.bounds_zone
        };
        let mut copy = Self {
            zone: TimeZone::get(&site.bounds_zone).ok(),
            local_zone: TimeZone::get(local_zone).ok(),
            rows: Vec::new(),
            has_several: false,
            traits: HashMap::new(),
            by_slug: Vec::new(),
            terms: HashMap::new(),
            is_utc,
            gaps,
            records,
            site,
        };
        copy.arrange();
        copy
    }

    fn arrange(&mut self) {
        let by_clock_of_site = self.site.mode == crate::facts::ZoneMode::Site;
        for (place, record) in self.records.iter().enumerate() {
            let is_listed = record.kind == PostKind::Event && record.is_public() && !record.hidden;
            if !is_listed {
                continue;
            }
            self.has_several |= record.occurrences.len() > 1;
            for own in EventTrait::all_of(record) {
                self.traits.entry(own).or_default().push(place);
            }
            for occurrence in &record.occurrences {
                if let Some(row) = EventRow::of(record, occurrence, place, (self.is_utc, by_clock_of_site)) {
                    self.rows.push(row);
                }
            }
        }
        self.rows
            .sort_unstable_by_key(|row| (row.first, row.date, row.post));
        let records = &self.records;
        let slug = |place: &usize| {
            records
                .get(*place)
                .map(|record| (record.kind, record.slug.as_str()))
        };
        self.by_slug = (0..records.len()).collect();
        self.by_slug.sort_unstable_by_key(slug);
        self.terms = self
            .site
            .terms
            .iter()
            .enumerate()
            .map(|(place, term)| (term.id, place))
            .collect();
    }

    /// The site whose records these are.
    pub fn site(&self) -> &CopySite {
        &self.site
    }

    /// What the site would answer now.
    ///
    /// # Errors
    ///
    /// The reason why only the site can tell.
    pub fn respond(&self, question: &CopyQuestion, now: UnixTime) -> Result<CopyResponse, Ask> {
        if let Some(ask) = question.objection() {
            return Err(ask);
        }
        let mut response = match &question.target {
            CopyTarget::Number(kind, number) => self.by_number(*kind, *number),
            CopyTarget::Slug(kind, slug) => self.by_slug(*kind, slug),
            CopyTarget::List(Kind::Event) => self.events(question, now),
            CopyTarget::List(kind @ (Kind::Venue | Kind::Organizer)) => self.linked(*kind, question, now),
            CopyTarget::List(kind) => self.list_of_terms(*kind, question),
        }?;
        if !response.status.is_client_error() {
            response.body = question.print(response.body)?;
        }
        Ok(response)
    }

    /// The place of the record with this number.
    pub(super) fn place(&self, id: u64) -> Option<usize> {
        self.records.binary_search_by_key(&id, |record| record.id).ok()
    }

    pub(super) fn record(&self, id: u64) -> Option<&RecordFact> {
        self.place(id)
            .and_then(|place| self.records.get(place))
            .map(|record| &**record)
    }

    /// The term with this number.
    pub(super) fn term(&self, id: u64) -> Option<&TermRecord> {
        self.terms.get(&id).and_then(|place| self.site.terms.get(*place))
    }

    /// The places of the records with this slug.
    pub(super) fn with_slug(&self, kind: PostKind, slug: &str) -> &[usize] {
        let key = |place: &usize| {
            self.records
                .get(*place)
                .map(|record| (record.kind, record.slug.as_str()))
        };
        let first = self
            .by_slug
            .partition_point(|place| key(place) < Some((kind, slug)));
        let last = self
            .by_slug
            .partition_point(|place| key(place) <= Some((kind, slug)));
        self.by_slug.get(first..last).unwrap_or_default()
    }

    /// Whether the event plugin of the site has this change.
    pub(super) fn has(&self, row: &DatedDifference) -> Result<bool, Ask> {
        let version = self.site.version().ok_or(Ask::Site)?;
        Ok(version >= row.since)
    }

    /// Younger plugins list an event once, at the occurrence that the database happens to take.
    pub(super) fn check_several(&self, mut rows: impl Iterator<Item = usize>) -> Result<(), Ask> {
        if !self.has_several || !self.has(&LISTED_ONCE)? {
            return Ok(());
        }
        let mut seen = HashSet::new();
        let is_new = rows.all(|at| self.rows.get(at).is_none_or(|row| seen.insert(row.post)));
        if is_new { Ok(()) } else { Err(Ask::Several) }
    }

    /// The places of the listed events that have something.
    pub(super) fn with_trait(&self, wanted: EventTrait) -> &[usize] {
        self.traits.get(&wanted).map_or(&[], Vec::as_slice)
    }

    /// The refusal with this code in the site's words.
    pub(super) fn refusal(&self, status: StatusCode, code: &str) -> Result<CopyResponse, Ask> {
        let word = self.site.words.get(code).ok_or(Ask::Site)?;
        let body = serde_json::json!({"code": code, "message": word, "data": {"status": status.as_u16()}});
        Ok(CopyResponse::plain(status, sentence(&body)))
    }
}

// === impl CopyResponse ===

impl CopyResponse {
    /// The response with the headers that the site sends to everybody.
    pub fn into_site_response(self, site: &CopySite) -> Response<Bytes> {
        let mut response = Response::new(self.body);
        *response.status_mut() = self.status;
        let link = format!("<{}>; rel=\"https://api.w.org/\"", site.root);
        let fixed = FIXED_HEADERS.iter().map(|(name, value)| (*name, *value));
        let own = site
            .headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()));
        let headers = fixed.chain([("link", link.as_str())]).chain(own);
        let headers = headers.map(|(name, value)| (name.parse::<HeaderName>(), HeaderValue::from_str(value)));
        let headers = headers.filter_map(|(name, value)| Some((name.ok()?, value.ok()?)));
        response.headers_mut().extend(headers);
        if let Some((total, pages)) = self.totals {
            response
                .headers_mut()
                .insert("x-tec-total", HeaderValue::from(total));
            response
                .headers_mut()
                .insert("x-tec-totalpages", HeaderValue::from(pages));
        }
        response
    }

    pub(super) fn plain(status: StatusCode, body: Vec<u8>) -> Self {
        Self {
            status,
            totals: None,
            body: Bytes::from(body),
            is_tied: false,
        }
    }
}

// === impl EventTrait ===

impl EventTrait {
    fn all_of(record: &RecordFact) -> Vec<Self> {
        let mut all = vec![Self::Parent(record.parent)];
        all.extend(record.featured.then_some(Self::Featured));
        all.extend(record.venues.iter().copied().map(Self::Venue));
        all.extend(record.organizers.iter().copied().map(Self::Organizer));
        all.extend(record.terms.iter().copied().map(Self::Term));
        all
    }
}

// === impl EventRow ===

impl EventRow {
    /// None if a date cannot be read: the database's comparison with it is never true.
    fn of(record: &RecordFact, occurrence: &Occurrence, post: usize, by: (bool, bool)) -> Option<Self> {
        let Occurrence(_, start, end, start_utc, end_utc) = occurrence;
        let (start_by, end_by) = if by.0 { (start_utc, end_utc) } else { (start, end) };
        Some(Self {
            start: seconds(start_by)?,
            end: seconds(end_by)?,
            first: seconds(if by.1 { start_utc } else { start })?,
            date: seconds(&record.date)?,
            post,
        })
    }
}

/// A time of a clock as seconds since 1970 of the same clock.
pub(super) fn seconds(stamp: &str) -> Option<i64> {
    let clock: DateTime = stamp.parse().ok()?;
    Some(of_clock(clock))
}

/// The seconds since 1970 of the same clock.
pub(super) fn of_clock(clock: DateTime) -> i64 {
    let instant = TimeZone::UTC.to_timestamp(clock);
    instant.map_or(i64::MAX, Timestamp::as_second)
}
