//! The frame of a list: its addresses, its totals, and the records of one page.

use calendar_edge_judge::contract::Kind;
use calendar_edge_judge::problem::to_php_json;
use http::StatusCode;
use serde_json::Value;

use super::ask::Ask;
use super::composed::{Detail, separate};
use super::list_address::with_arguments;
use super::question::CopyQuestion;
use super::record_copy::{CopyResponse, RecordCopy};

/// Which part of a list is asked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Page {
    pub(super) number: u64,
    pub(super) size: u64,
    /// Whether the client wants its records.
    has_records: bool,
}

/// The addresses of a list of posts.
pub(super) struct Addresses {
    own: String,
    /// Whether there is a page behind this one.
    pub(super) has_next: bool,
}

// === impl Page ===

impl Page {
    pub(super) fn of(copy: &RecordCopy, kind: Kind, question: &CopyQuestion) -> Result<Self, Ask> {
        let (most, usual) = copy.site.most.get(kind.collection()).copied().ok_or(Ask::Site)?;
        let number = question.number("page")?.unwrap_or(1);
        let size = question.number("per_page")?.unwrap_or(usual);
        if number == 0 || size == 0 || most == 0 {
            return Err(Ask::Value);
        }
        Ok(Self {
            number,
            size: size.min(most),
            has_records: question.prints_records(),
        })
    }

    /// The places of the page in a list of this length.
    pub(super) fn places(self, length: usize) -> std::ops::Range<usize> {
        let first = (self.number - 1).saturating_mul(self.size);
        let clamp = |place: u64| usize::try_from(place).unwrap_or(usize::MAX).min(length);
        clamp(first)..clamp(first.saturating_add(self.size))
    }

    /// How many pages so many records make.
    pub(super) const fn count(self, total: u64) -> u64 {
        total.div_ceil(self.size)
    }
}

// === impl Addresses ===

impl Addresses {
    /// The address of a list with the arguments that it repeats, and those that are added afterwards.
    pub(super) fn new(
        copy: &RecordCopy,
        kind: Kind,
        repeated: &[(&str, Option<String>)],
        added: &[(&str, Option<String>)],
    ) -> Result<Self, Ask> {
        let mut own = [&copy.site.rest, kind.collection(), "/"].concat();
        // To add arguments encodes the route of plain permalinks again.
        for arguments in [repeated, added].into_iter().filter(|some| !some.is_empty()) {
            own = with_arguments(&own, arguments)?;
        }
        Ok(Self { own, has_next: false })
    }

    fn next(&self, page: Page) -> Result<Option<String>, Ask> {
        let bare = with_arguments(&self.own, &[("page", None)])?;
        let next = self
            .has_next
            .then(|| with_arguments(&bare, &[("page", Some((page.number + 1).to_string()))]));
        next.transpose()
    }

    fn previous(&self, page: Page) -> Result<Option<String>, Ask> {
        let bare = with_arguments(&self.own, &[("page", None)])?;
        match page.number {
            1 => Ok(None),
            2 => Ok(Some(bare)),
            number => with_arguments(&bare, &[("page", Some((number - 1).to_string()))]).map(Some),
        }
    }
}

// === impl RecordCopy ===

impl RecordCopy {
    /// A page of posts: the places of its records, and the total of the list.
    pub(super) fn page_of_posts(
        &self,
        kind: Kind,
        (page, addresses): (Page, &Addresses),
        places: impl Iterator<Item = usize>,
        total: u64,
    ) -> Result<CopyResponse, Ask> {
        let pages = page.count(total);
        let mut body = Vec::with_capacity(64 << 10);
        let mut is_first = true;
        body.extend_from_slice(["{\"", kind.collection(), "\":["].concat().as_bytes());
        for place in places.filter(|_| page.has_records) {
            separate(&mut is_first, &mut body);
            self.print(place, Detail::Listed, &mut body)?;
        }
        body.push(b']');
        member("rest_url", &addresses.own, &mut body);
        if let Some(next) = addresses.next(page)? {
            member("next_rest_url", &next, &mut body);
        }
        if let Some(previous) = addresses.previous(page)? {
            member("previous_rest_url", &previous, &mut body);
        }
        body.extend_from_slice(format!(",\"total\":{total},\"total_pages\":{pages}}}").as_bytes());
        let response = CopyResponse::plain(StatusCode::OK, body);
        Ok(CopyResponse {
            totals: Some((total, pages)),
            ..response
        })
    }

    /// A page of terms, by their places. Its addresses have no argument but the page.
    pub(super) fn page_of_terms(
        &self,
        kind: Kind,
        page: Page,
        places: &[usize],
        total: u64,
    ) -> Result<CopyResponse, Ask> {
        let pages = page.count(total);
        let mut addresses = Addresses::new(self, kind, &[], &[])?;
        addresses.has_next = page.number < pages;
        let own = sentence(&Value::from(addresses.own.clone()));
        let mut body = [b"{\"rest_url\":", own.as_slice()].concat();
        body.extend_from_slice(format!(",\"total\":{total},\"total_pages\":{pages}").as_bytes());
        body.extend_from_slice([",\"", kind.collection(), "\":["].concat().as_bytes());
        let mut is_first = true;
        for place in places {
            let term = self.site.terms.get(*place).ok_or(Ask::Missing)?;
            separate(&mut is_first, &mut body);
            body.extend_from_slice(term.body.as_ref().ok_or(Ask::Printed)?.as_str().as_bytes());
        }
        body.push(b']');
        if let Some(next) = addresses.next(page)? {
            member("next_rest_url", &next, &mut body);
        }
        if let Some(previous) = addresses.previous(page)? {
            member("previous_rest_url", &previous, &mut body);
        }
        body.push(b'}');
        let response = CopyResponse::plain(StatusCode::OK, body);
        Ok(CopyResponse {
            totals: Some((total, pages)),
            ..response
        })
    }
}

fn member(name: &str, value: &str, body: &mut Vec<u8>) {
    body.extend_from_slice([",\"", name, "\":"].concat().as_bytes());
    body.extend_from_slice(&sentence(&Value::from(value)));
}

/// JSON as the site writes it.
pub(super) fn sentence(value: &Value) -> Vec<u8> {
    to_php_json(value, false)
}
