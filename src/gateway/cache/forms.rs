//! Events in other forms than JSON: written of the pages of a list, which are read as any client reads them, and stored.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use http::header::{AGE, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_TYPE, ETAG, LINK};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use http_body::Body;
use http_body_util::BodyExt;

use super::caching::Caching;
use crate::cache::{Answer, Cache, StoredMetadata, StoredResponse};
use crate::gateway::calendar::computing::Computing;
use crate::gateway::calls::{CalendarCall, CallResponse, JudgedCall};
use crate::gateway::fault;
use crate::gateway::stage::Stage;
use crate::layers::{EdgeResponse, ResponseFacts};
use crate::server::response::{AnsweredBy, EdgeBody, PlainResponse, whole};
use crate::telemetry::Warnings;
use calendar_edge_core::cache::Storable;
use calendar_edge_core::cache::forms::{
    AfterPage, AnswerForm, FormWriter, OfferedForms, PageFault, WrittenForm,
};
use calendar_edge_core::relay::cors::Audience;
use calendar_edge_core::relay::{BufferBudget, vary_by};
use calendar_edge_core::settings::FormSettings;

/// Gives clients the form of events that they ask for.
///
/// `S` answers in JSON, from stored responses where it can.
#[derive(Debug)]
pub(in crate::gateway) struct Forms<S> {
    json: Arc<S>,
    /// The written answers, stored and collapsed like those of the site.
    written: Caching<FormPages<S>>,
    offered: OfferedForms,
}

/// Reads the pages of a call and writes them in its form.
#[derive(Debug)]
pub(in crate::gateway) struct FormPages<S> {
    json: Arc<S>,
    cache: Cache,
    calendar_name: Option<String>,
    computing: Computing,
    /// Pays for pages that are larger than `limits.response_buffer_bytes`.
    buffers: BufferBudget,
    warnings: Warnings,
}

/// A page of events.
struct EventPage {
    headers: HeaderMap,
    body: Bytes,
    response: CallResponse,
}

/// The pages that an answer is made of.
struct PagesRead {
    first: CallResponse,
    headers: HeaderMap,
    /// None if one of them is not stored.
    made_of: Option<StoredMetadata>,
}

/// The reason why there is no answer in the form.
enum Unwritten {
    /// The answer to one of its pages is no page: it is the answer to all.
    Answered(Box<CallResponse>),
    /// The pages make no answer.
    Pages(PageFault),
}

/// The times that a list is read until it holds still.
const ATTEMPTS: usize = 2;

/// The largest page that is read, in bytes.
const LARGEST_PAGE: usize = 8 * 1024 * 1024;

/// Headers of a page that say nothing about the form.
const OF_PAGE: [HeaderName; 6] = [
    AGE,
    CONTENT_LENGTH,
    ETAG,
    LINK,
    HeaderName::from_static("cache-status"),
    HeaderName::from_static("x-tec-totalpages"),
];

// === impl Forms ===

impl<S> Forms<S>
where
    S: Stage<CalendarCall, Response = CallResponse>,
{
    /// Answers in JSON as they are, and in other forms as `written` keeps them.
    pub(in crate::gateway) fn new(
        json: Arc<S>,
        written: Caching<FormPages<S>>,
        settings: &FormSettings,
    ) -> Self {
        Self {
            json,
            written,
            offered: OfferedForms::new(settings),
        }
    }
}

impl<S> Stage<CalendarCall> for Forms<S>
where
    S: Stage<CalendarCall, Response = CallResponse>,
{
    type Response = CallResponse;

    async fn call(&self, call: CalendarCall) -> CallResponse {
        if !self.offered.of(&call.call).are_several() {
            return self.json.call(call).await;
        }
        let whole = match call.form {
            AnswerForm::Json => None,
            // What does not change a form is not in its key.
            AnswerForm::Calendar => call.call.page_of_read(1),
        };
        let mut response = match whole {
            None => self.json.call(call).await,
            Some(whole) => {
                let call = call.asking(Arc::new(JudgedCall::new(whole)));
                Box::pin(self.written.call(call)).await
            }
        };
        vary_by(response.response.headers_mut(), "Accept");
        response
    }
}

// === impl FormPages ===

impl<S> FormPages<S> {
    pub(in crate::gateway) fn new(
        json: &Arc<S>,
        settings: &FormSettings,
        cache: &Cache,
        buffers: &BufferBudget,
        warnings: &Warnings,
    ) -> Self {
        Self {
            json: Arc::clone(json),
            cache: cache.clone(),
            calendar_name: settings.calendar_name.clone(),
            computing: Computing::new(),
            buffers: buffers.clone(),
            warnings: warnings.clone(),
        }
    }
}

impl<S> FormPages<S>
where
    S: Stage<CalendarCall, Response = CallResponse>,
{
    /// Reads all pages, and writes the answer.
    async fn read(&self, call: &CalendarCall, mut writer: FormWriter) -> Result<CallResponse, Unwritten> {
        // Before the first page: what is removed from now on is not in the answer.
        let generation = self.cache.generation();
        let has_pages = call.call.has_pages();
        let mut pages: Option<PagesRead> = None;
        for number in 1.. {
            let page = self.page(call, number).await?;
            let body = page.body.clone();
            let adding = move || (writer.add(&body, number), writer);
            let (after, with_page) = self.computing.run(adding).await;
            writer = with_page;
            pages = Some(PagesRead::with(pages, page));
            if after? == AfterPage::End || !has_pages {
                break;
            }
        }
        let pages = pages.ok_or(PageFault::Unreadable)?;
        let written = self.computing.run(move || writer.finish(has_pages)).await?;
        Ok(self.response(pages, written, generation, call.form))
    }

    async fn page(&self, call: &CalendarCall, number: u32) -> Result<EventPage, Unwritten> {
        let asked = call.call.page_of_read(number).ok_or(PageFault::Unreadable)?;
        let call = CalendarCall {
            form: AnswerForm::Json,
            ..call.asking(Arc::new(JudgedCall::new(asked)))
        };
        let response = self.json.call(call).await;
        match EventPage::of(response, &self.buffers).await {
            // The list became shorter while it was read.
            Err(Unwritten::Answered(answer)) if number > 1 && answer.response.status().is_client_error() => {
                Err(PageFault::Changed.into())
            }
            page => page,
        }
    }

    fn response(
        &self,
        pages: PagesRead,
        written: WrittenForm,
        generation: u64,
        form: AnswerForm,
    ) -> CallResponse {
        let headers = headers(pages.headers, form, written.body.len());
        let stored = pages.made_of.map(|made_of| {
            let answer = Answer::copied(StatusCode::OK, &headers, &written.body, AnsweredBy::Cache);
            let fill = StoredMetadata {
                generation,
                ..made_of
            };
            self.cache.answer(answer, fill, None)
        });
        let facts = &pages.first.response.facts;
        let facts = ResponseFacts::Calendar {
            by: facts.by().unwrap_or(AnsweredBy::Backend),
            audience: facts.audience().unwrap_or(Audience::OneClient),
            // Those of the page are of another body.
            codings: None,
        };
        let mut response = PlainResponse::new(whole(written.body.into()));
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

impl<S> Stage<CalendarCall> for FormPages<S>
where
    S: Stage<CalendarCall, Response = CallResponse>,
{
    type Response = CallResponse;

    async fn call(&self, call: CalendarCall) -> CallResponse {
        let mut left = ATTEMPTS;
        loop {
            left -= 1;
            let name = self.calendar_name.clone();
            match self.read(&call, FormWriter::new(name)).await {
                Ok(response) => return response,
                Err(Unwritten::Answered(response)) => return *response,
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
            && stored.answer().status() == StatusCode::OK
        {
            let answer = stored.answer();
            return Ok(Self {
                headers: answer.headers().clone(),
                body: answer.body().clone(),
                response,
            });
        }
        if response.response.status() != StatusCode::OK {
            return Err(Unwritten::Answered(Box::new(response)));
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
        let stored = page
            .response
            .stored
            .as_deref()
            .map(StoredResponse::metadata)
            .cloned();
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
async fn page_bytes(mut body: EdgeBody, buffers: &BufferBudget) -> Result<Bytes, PageFault> {
    if let Some(length) = body.size_hint().exact() {
        if length > LARGEST_PAGE as u64 {
            return Err(PageFault::TooLarge);
        }
        let read = body.collect().await.map_err(|_| PageFault::BrokenOff)?;
        return Ok(read.to_bytes());
    }
    let mut page = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| PageFault::BrokenOff)?;
        let Ok(data) = frame.into_data() else { continue };
        if page.len() + data.len() > buffers.allowance(LARGEST_PAGE) {
            return Err(PageFault::TooLarge);
        }
        page.extend_from_slice(&data);
    }
    Ok(buffers.count(page.freeze()))
}

/// The headers of a page as those of a form.
fn headers(mut headers: HeaderMap, form: AnswerForm, length: usize) -> HeaderMap {
    for name in OF_PAGE {
        headers.remove(name);
    }
    headers.insert(CONTENT_TYPE, form.content_type());
    headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
    if form == AnswerForm::Calendar {
        headers.insert(
            CONTENT_DISPOSITION,
            HeaderValue::from_static("inline; filename=\"events.ics\""),
        );
    }
    headers
}
