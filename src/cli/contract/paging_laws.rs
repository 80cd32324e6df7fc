//! Laws of lists: pages are disjoint, totals are right, the last page is the last.

use std::collections::BTreeSet;

use calendar_edge_judge::contract::Kind;
use calendar_edge_judge::contract::response::Shape;
use serde_json::Value;
use url::Url;

use super::date_laws::{are_in_order, have_utc};
use super::suite::{READS_SUCCEED, Suite, Trial};
use super::tested_api::ApiRequest;

/// The most pages that are read of a list; of a longer one the rest is not checked.
const MOST_PAGES: u64 = 20;

/// A list as it is walked.
struct ListWalk {
    kind: Kind,
    subject: String,
    per_page: u64,
    total: u64,
    pages: u64,
}

// === impl ListWalk ===

impl ListWalk {
    fn request(&self, page: u64) -> ApiRequest {
        let collection = self.kind.collection();
        let all = self
            .kind
            .whole_list()
            .replace("per_page=50", &format!("per_page={}", self.per_page));
        ApiRequest::get(format!("/{collection}?{all}&page={page}"))
    }

    /// The records on a page.
    fn records<'t>(&self, page: &'t Trial) -> &'t [Value] {
        let records = page.answer.body[self.kind.collection()].as_array();
        records.map_or(&[], Vec::as_slice)
    }

    fn ids(&self, page: &Trial) -> Vec<i64> {
        let records = self.records(page).iter();
        records.filter_map(|record| record["id"].as_i64()).collect()
    }
}

// === impl Suite ===

impl Suite {
    /// Walks over a list, and returns its records.
    pub(super) async fn paging_laws(&mut self, kind: Kind) -> Vec<Value> {
        let mut walk = ListWalk {
            kind,
            subject: format!("{}.list", kind.collection()),
            per_page: 1,
            total: 0,
            pages: 0,
        };
        let Some(first) = self.send(&walk.subject, READS_SUCCEED, walk.request(1)).await else {
            return Vec::new();
        };
        self.succeeded(&first, READS_SUCCEED);
        walk.total = first.answer.body["total"].as_u64().unwrap_or_default();
        if walk.total == 0 {
            self.leave_out(&walk.subject, "pages are disjoint", "the list is empty");
            return Vec::new();
        }
        walk.per_page = walk.total.div_ceil(5).clamp(1, 50);
        walk.pages = walk.total.div_ceil(walk.per_page);
        let records = self.walk(&walk).await;
        self.beyond(&walk).await;
        records
    }

    async fn walk(&mut self, walk: &ListWalk) -> Vec<Value> {
        let (mut records, mut seen, mut last) = (Vec::new(), BTreeSet::new(), None);
        for number in 1..=walk.pages.min(MOST_PAGES) {
            let Some(page) = self.page(walk, number).await else {
                continue;
            };
            let ids = walk.ids(&page).into_iter();
            let again: Vec<i64> = ids.filter(|id| !seen.insert(*id)).collect();
            self.verdict(
                &page,
                "pages are disjoint",
                (again.is_empty(), "other records"),
                || format!("{again:?} again"),
            );
            records.extend_from_slice(walk.records(&page));
            last = Some(page);
        }
        if let Some(last) = last.as_ref().filter(|_| !walk.kind.is_term()) {
            let law = "lists show all that is published, without a login";
            let others = records.iter().filter(|record| record["status"] != "publish");
            let others = others.map(|record| format!("{} of status {}", record["id"], record["status"]));
            self.faultless(last, law, "published records", others.collect());
        }
        if let Some(last) = last.as_ref().filter(|_| walk.kind == Kind::Event) {
            for (law, holds, expected) in [
                (
                    "events come in the order of their beginnings",
                    are_in_order(&records),
                    "the earlier first",
                ),
                (
                    "dates in UTC follow from the time zone",
                    have_utc(&records),
                    "another time than at the place",
                ),
            ] {
                self.verdict(last, law, (holds, expected), || {
                    "none of it on all pages".to_owned()
                });
            }
        }
        if let Some(last) = last.filter(|_| walk.pages <= MOST_PAGES) {
            let law = "the pages hold as many records as `total` states";
            self.equal(&last, law, &(records.len() as u64), &walk.total);
        }
        records
    }

    /// One page with its laws; none if it cannot be read.
    async fn page(&mut self, walk: &ListWalk, number: u64) -> Option<Trial> {
        let page = self
            .send(&walk.subject, READS_SUCCEED, walk.request(number))
            .await?;
        self.succeeded(&page, READS_SUCCEED);
        self.shaped(&page, Shape::Model(walk.kind.list_model()));
        let body = &page.answer.body;
        let count = body[walk.kind.collection()].as_array()?.len() as u64;
        self.totals(walk, &page);
        let rest = walk.total - walk.per_page * (number - 1);
        let law = "every page but the last is full";
        self.equal(&page, law, &count, &rest.min(walk.per_page));
        let next = body["next_rest_url"].as_str();
        let law = "every page but the last names the next one";
        self.equal(&page, law, &next.is_some(), &(number != walk.pages));
        if let (1, Some(next)) = (number, next) {
            self.next_page(walk, next).await;
        }
        Some(page)
    }

    /// The totals of a page, which are those of the first.
    fn totals(&mut self, walk: &ListWalk, page: &Trial) {
        let number = |name: &str| page.answer.body[name].as_u64();
        let totals = (number("total"), number("total_pages"));
        let wanted = (Some(walk.total), Some(walk.pages));
        self.equal(page, "totals are those of the list", &totals, &wanted);
        let header = |name: &str| page.answer.number(name);
        let headers = (header("x-tec-total"), header("x-tec-totalpages"));
        self.equal(page, "headers repeat the totals", &headers, &totals);
    }

    /// The address of the next page leads to the next page.
    async fn next_page(&mut self, walk: &ListWalk, next: &str) {
        let law = "the address of the next page leads there";
        if walk.kind.is_term() {
            let reason = "addresses of terms lose all arguments but the page";
            return self.leave_out(&walk.subject, law, reason);
        }
        let next = next.parse::<Url>().ok();
        let query = next.as_ref().and_then(Url::query).unwrap_or_default();
        let request = ApiRequest::get(format!("/{}?{query}", walk.kind.collection()));
        let linked = self.send(&walk.subject, law, request).await;
        let direct = self.send(&walk.subject, law, walk.request(2)).await;
        if let (Some(linked), Some(direct)) = (linked, direct) {
            self.equal(&linked, law, &walk.ids(&linked), &walk.ids(&direct));
        }
    }

    /// A page beyond the end: posts have none, and terms an empty one (backend.md sections 9 and 10).
    async fn beyond(&mut self, walk: &ListWalk) {
        let law = "a page beyond the last has WordPress's response";
        let Some(page) = self.send(&walk.subject, law, walk.request(walk.pages + 1)).await else {
            return;
        };
        if walk.kind.is_term() {
            let records = page.answer.body[walk.kind.collection()].as_array();
            let holds = page.answer.status == 200 && records.is_some_and(Vec::is_empty);
            return self.check(&page, law, holds, "200 without records");
        }
        let code = format!("{}-archive-page-not-found", walk.kind.singular());
        self.refused(&page, law, 404, &[&code]);
    }
}
