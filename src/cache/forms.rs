//! Events in other forms than JSON: written of the pages of a list, which are read as any client reads them, and
//! stored.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use http_body::Body;

use super::caching::Caching;
use super::store::Cache;
use crate::calls::{
    CalendarCall, CallResponse, ClientSide, JudgedCall, Stage, StoredMetadata, StoredResponse, WholeResponse,
    fault,
};
use crate::layers::{EdgeResponse, ResponseFacts};
use crate::server::bodies::{CollectError, read_within};
use crate::server::response::{EdgeBody, PlainResponse, ResponseSource, whole};
use crate::server::threads::Computing;
use crate::telemetry::{RateLimitMetrics, Warnings};
use calendar_edge_core::cache::Storable;
use calendar_edge_core::cache::forms::{CalendarWriter, PageFault, calendar_headers, reads_events};
use calendar_edge_core::limits::rates::{Budgets, Client, CostClass};
use calendar_edge_core::relay::cors::Audience;
use calendar_edge_core::relay::{BufferBudget, vary_by};

/// Gives clients the representation of events that they prefer.
///
/// `S` responds in JSON, from stored responses where it can.
#[derive(Debug)]
pub(crate) struct Representations<S> {
    pub(crate) json: Arc<S>,
    /// The written responses, stored and collapsed like those of the site.
    pub(crate) written: Caching<RepresentationPages<S>>,
    pub(crate) offers_calendar: bool,
}

/// Reads the pages of a call and writes them in its form.
#[derive(Debug)]
pub(crate) struct RepresentationPages<S> {
    pub(crate) json: Arc<S>,
    pub(crate) cache: Arc<Cache>,
    pub(crate) calendar_name: Option<String>,
    pub(crate) computing: Computing,
    /// Pays for pages that are larger than `limits.response_buffer_bytes`.
    pub(crate) buffers: BufferBudget,
    pub(crate) warnings: Warnings,
    /// Pay for the pages that are read from the site.
    pub(crate) budgets: Budgets,
    pub(crate) limited: RateLimitMetrics,
}

/// A page of events.
struct EventPage {
    headers: HeaderMap,
    body: Bytes,
    response: CallResponse,
}

/// The pages that a response is made of.
struct PagesRead {
    first: CallResponse,
    headers: HeaderMap,
    /// None if one of them is not stored.
    made_of: Option<StoredMetadata>,
}

/// The reason why there is no response in the form.
enum Unwritten {
    /// The response to one of its pages is no page: it is the response to all.
    Response(Box<CallResponse>),
    /// The pages make no response.
    Pages(PageFault),
}

/// The times that a list is read until it holds still.
const ATTEMPTS: usize = 2;

/// The largest page that is read, in bytes.
const LARGEST_PAGE: usize = 8 * 1024 * 1024;

// === impl Representations ===

impl<S: Stage<CalendarCall, CallResponse>> Stage<CalendarCall, CallResponse> for Representations<S> {
    async fn call(&self, call: CalendarCall) -> CallResponse {
        if !self.offers_calendar || !reads_events(&call.call) {
            return self.json.call(call).await;
        }
        // Parameters that do not change a form are not in its key.
        let whole = call.as_calendar.then(|| call.call.page_of_read(1)).flatten();
        let mut response = match whole {
            None => self.json.call(call).await,
            Some(whole) => {
                let call = call.with_call(Arc::new(JudgedCall::new(whole)));
                Box::pin(self.written.call(call)).await
            }
        };
        vary_by(response.response.headers_mut(), "Accept");
        response
    }
}

// === impl RepresentationPages ===

impl<S: Stage<CalendarCall, CallResponse>> RepresentationPages<S> {
    /// Reads all pages, and writes the response.
    async fn read(&self, call: &CalendarCall, mut writer: CalendarWriter) -> Result<CallResponse, Unwritten> {
        // Before the first page: records removed from now on are not in the response.
        let generation = self.cache.generation();
        let has_pages = call.call.has_pages();
        let mut pages: Option<PagesRead> = None;
        for number in 1.. {
            let page = self.page(call, number).await?;
            // The request itself has paid for the first page.
            if number > 1 && page.response.response.facts.by() == Some(ResponseSource::Backend) {
                self.charge(&call.client)?;
            }
            let body = page.body.clone();
            let adding = move || (writer.add(&body, number), writer);
            let (has_more, with_page) = self.computing.run(adding).await;
            writer = with_page;
            pages = Some(PagesRead::with(pages, page));
            if !has_more? || !has_pages {
                break;
            }
        }
        let pages = pages.ok_or(PageFault::Unreadable)?;
        let written = self.computing.run(move || writer.finish(has_pages)).await?;
        Ok(self.response(pages, written, generation))
    }

    async fn page(&self, call: &CalendarCall, number: u32) -> Result<EventPage, Unwritten> {
        let asked = call.call.page_of_read(number).ok_or(PageFault::Unreadable)?;
        let call = CalendarCall {
            as_calendar: false,
            ..call.with_call(Arc::new(JudgedCall::new(asked)))
        };
        let response = self.json.call(call).await;
        match EventPage::of(response, &self.buffers).await {
            // The list became shorter while it was read.
            Err(Unwritten::Response(answer)) if number > 1 && answer.response.status().is_client_error() => {
                Err(PageFault::Changed.into())
            }
            page => page,
        }
    }

    /// Charges a client for a page that was read from the site (T-103). A cache has stored the pages read until a
    /// budget is used up: the next attempt goes on from there.
    fn charge(&self, client: &ClientSide) -> Result<(), Unwritten> {
        let payer = Client::new(client.address, &client.identity);
        let spent = self.budgets.spend_again(payer, CostClass::List, Instant::now());
        spent.map(drop).map_err(|exceeded| {
            self.limited.refused(exceeded.budget);
            Unwritten::Response(Box::new(fault::too_fast(&exceeded).into()))
        })
    }

    fn response(&self, pages: PagesRead, written: Vec<u8>, generation: u64) -> CallResponse {
        let headers = calendar_headers(pages.headers, written.len());
        let stored = pages.made_of.map(|made_of| {
            let answer = WholeResponse::copied(StatusCode::OK, &headers, &written, ResponseSource::Cache);
            let fill = StoredMetadata {
                generation,
                ..made_of
            };
            Arc::new(StoredResponse::replacing(answer, fill, None, &self.buffers))
        });
        let facts = &pages.first.response.facts;
        let facts = ResponseFacts::Calendar {
            by: facts.by().unwrap_or(ResponseSource::Backend),
            audience: facts.audience().unwrap_or(Audience::OneClient),
            // Those of the page are of another body.
            codings: None,
        };
        let mut response = PlainResponse::new(whole(written.into()));
        *response.headers_mut() = headers;
        CallResponse {
            response: EdgeResponse { response, facts },
            storable: Storable::No,
            stored,
            ..pages.first
        }
    }

    fn failed(&self, fault: PageFault) -> CallResponse {
        self.warnings.warn("form_not_written", move |count| {
            tracing::warn!(error = %fault, count, "events are not given in another form");
        });
        fault::not_written().into()
    }
}

impl<S: Stage<CalendarCall, CallResponse>> Stage<CalendarCall, CallResponse> for RepresentationPages<S> {
    async fn call(&self, call: CalendarCall) -> CallResponse {
        let mut left = ATTEMPTS;
        loop {
            left -= 1;
            let name = self.calendar_name.clone();
            match self.read(&call, CalendarWriter::new(name)).await {
                Ok(response) => return response,
                Err(Unwritten::Response(response)) => return *response,
                Err(Unwritten::Pages(PageFault::Changed)) if left > 0 => {}
                Err(Unwritten::Pages(fault)) => return self.failed(fault),
            }
        }
    }
}

// === impl EventPage ===

impl EventPage {
    /// The page in a response, even if the client has the stored one already.
    async fn of(response: CallResponse, buffers: &BufferBudget) -> Result<Self, Unwritten> {
        if let Some(stored) = &response.stored
            && stored.whole.status == StatusCode::OK
        {
            let answer = &stored.whole;
            return Ok(Self {
                headers: answer.headers.clone(),
                body: answer.body.clone(),
                response,
            });
        }
        if response.response.status() != StatusCode::OK {
            return Err(Unwritten::Response(Box::new(response)));
        }
        let mut response = response;
        let body = std::mem::take(response.response.body_mut());
        Ok(Self {
            headers: response.response.headers().clone(),
            body: page_bytes(body, buffers).await?,
            response,
        })
    }
}

// === impl PagesRead ===

impl PagesRead {
    /// The pages so far with another one.
    fn with(before: Option<Self>, page: EventPage) -> Self {
        let stored = page.response.stored.as_deref().map(|stored| stored.fill.clone());
        let Some(before) = before else {
            return Self {
                headers: page.headers,
                made_of: stored,
                first: page.response,
            };
        };
        let made_of = before.made_of.zip(stored).map(|(one, other)| StoredMetadata {
            filled: one.filled.and(other.filled),
            dependencies: one.dependencies.and(other.dependencies),
            generation: one.generation.min(other.generation),
        });
        Self { made_of, ..before }
    }
}

// === impl Unwritten ===

impl From<PageFault> for Unwritten {
    fn from(fault: PageFault) -> Self {
        Self::Pages(fault)
    }
}

/// The bytes of a page. One that is larger than what is buffered of a response is streamed: it is read while the budget
/// lasts, and counts toward it then.
async fn page_bytes(body: EdgeBody, buffers: &BufferBudget) -> Result<Bytes, PageFault> {
    let is_streamed = body.size_hint().exact().is_none();
    let most = if is_streamed {
        buffers.allowance(LARGEST_PAGE)
    } else {
        LARGEST_PAGE
    };
    let page = read_within(body, most).await.map_err(|error| match error {
        CollectError::TooLarge => PageFault::TooLarge,
        _ => PageFault::BrokenOff,
    })?;
    Ok(if is_streamed { buffers.count(page) } else { page })
}

#[cfg(test)]
#[path = "forms_tests.rs"]
mod tests;
