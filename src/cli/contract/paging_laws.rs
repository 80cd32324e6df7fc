//! Laws of lists: pages are disjoint, totals are right, the last page is the last.

use std::collections::BTreeSet;

use calendar_edge_judge::contract::Kind;
use calendar_edge_judge::contract::answer::Shape;
use serde_json::Value;
use url::Url;

use super::api_under_test::{ApiAnswer, ApiRequest};
use super::suite::{Suite, tried};

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
}

/// The numbers of the records on a page.
fn ids(records: &[Value]) -> Vec<i64> {
    records
        .iter()
        .filter_map(|record| record["id"].as_i64())
        .collect()
}

// === impl Suite ===

impl Suite {
    /// Walks over a list, and returns its records.
    pub(super) async fn paging_laws(&mut self, kind: Kind) -> Vec<Value> {
        let subject = format!("{}.list", kind.collection());
        let law = "reads succeed";
        let mut walk = ListWalk {
            kind,
            subject,
            per_page: 1,
            total: 0,
            pages: 0,
        };
        let first = walk.request(1);
        let Some(answer) = self.answered(tried(&walk.subject, law, &first)).await else {
            return Vec::new();
        };
        self.succeeded(tried(&walk.subject, law, &first), &answer);
        walk.total = answer.body["total"].as_u64().unwrap_or_default();
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
        let (mut records, mut seen) = (Vec::new(), BTreeSet::new());
        for page in 1..=walk.pages.min(MOST_PAGES) {
            let request = walk.request(page);
            let Some(found) = self.page(walk, page, &request).await else {
                continue;
            };
            let again: Vec<i64> = ids(&found).into_iter().filter(|id| !seen.insert(*id)).collect();
            self.check(
                tried(&walk.subject, "pages are disjoint", &request),
                again.is_empty(),
                "other records",
                || format!("{again:?} again"),
            );
            records.extend(found);
        }
        if walk.pages <= MOST_PAGES {
            let count = records.len() as u64;
            let law = "the pages hold as many records as `total` says";
            self.equal(tried(&walk.subject, law, &walk.request(1)), &count, &walk.total);
        }
        records
    }

    /// One page with its laws; none if it cannot be read.
    async fn page(&mut self, walk: &ListWalk, page: u64, request: &ApiRequest) -> Option<Vec<Value>> {
        let read = tried(&walk.subject, "reads succeed", request);
        let answer = self.answered(read).await?;
        self.succeeded(read, &answer);
        self.shaped(
            &walk.subject,
            request,
            Shape::Model(walk.kind.list_model()),
            &answer.body,
        );
        let records = answer.body[walk.kind.collection()].as_array()?;
        self.totals(walk, request, &answer);
        let full = tried(&walk.subject, "every page but the last is full", request);
        let is_last = page == walk.pages;
        let rest = walk.total - walk.per_page * (page - 1);
        self.equal(full, &(records.len() as u64), &rest.min(walk.per_page));
        let next = answer.body["next_rest_url"].as_str();
        let law = "every page but the last names the next one";
        self.equal(tried(&walk.subject, law, request), &next.is_some(), &!is_last);
        if page == 1
            && let Some(next) = next
        {
            self.next_page(walk, next).await;
        }
        Some(records.clone())
    }

    /// The totals of a page, which are those of the first.
    fn totals(&mut self, walk: &ListWalk, request: &ApiRequest, answer: &ApiAnswer) {
        let number = |name: &str| answer.body[name].as_u64();
        let totals = (number("total"), number("total_pages"));
        let law = "totals are those of the list";
        let wanted = (Some(walk.total), Some(walk.pages));
        self.equal(tried(&walk.subject, law, request), &totals, &wanted);
        let headers = (answer.number("x-tec-total"), answer.number("x-tec-totalpages"));
        let law = "headers repeat the totals";
        self.equal(tried(&walk.subject, law, request), &headers, &totals);
    }

    /// The address of the next page leads to the next page.
    async fn next_page(&mut self, walk: &ListWalk, next: &str) {
        let law = "the address of the next page leads there";
        let collection = walk.kind.collection();
        let query = next
            .parse::<Url>()
            .ok()
            .and_then(|url| url.query().map(str::to_owned));
        let request = ApiRequest::get(format!("/{collection}?{}", query.unwrap_or_default()));
        // Addresses of terms name nothing but the page.
        if walk.kind.is_term() {
            return self.leave_out(
                &walk.subject,
                law,
                "addresses of terms lose all arguments but the page",
            );
        }
        let direct = walk.request(2);
        let (Some(linked), Some(direct)) = (
            self.answered(tried(&walk.subject, law, &request)).await,
            self.answered(tried(&walk.subject, law, &direct)).await,
        ) else {
            return;
        };
        let of = |body: &Value| ids(body[collection].as_array().map_or(&[][..], Vec::as_slice));
        let (found, expected) = (of(&linked.body), of(&direct.body));
        self.equal(tried(&walk.subject, law, &request), &found, &expected);
    }

    /// A page beyond the end: posts have none, and terms an empty one (backend.md sections 9 and 10).
    async fn beyond(&mut self, walk: &ListWalk) {
        let law = "a page beyond the last is answered as WordPress does";
        let request = walk.request(walk.pages + 1);
        let Some(answer) = self.answered(tried(&walk.subject, law, &request)).await else {
            return;
        };
        if walk.kind.is_term() {
            let is_empty = answer.body[walk.kind.collection()]
                .as_array()
                .is_some_and(Vec::is_empty);
            return self.check(
                tried(&walk.subject, law, &request),
                answer.status == 200 && is_empty,
                "200 without records",
                || answer.told(),
            );
        }
        let code = format!("{}-archive-page-not-found", walk.kind.singular());
        self.refused(tried(&walk.subject, law, &request), &answer, (404, &[&code]));
    }
}
