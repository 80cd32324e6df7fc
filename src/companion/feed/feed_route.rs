//! `GET {root}/calendar-edge/v1/changes`: what has changed since a token, at once, after a wait, or as a stream.

use std::sync::Arc;
use std::time::Duration;

use http::header::{CACHE_CONTROL, ETAG};
use http::request::Parts as Head;
use http::{HeaderMap, HeaderValue, Method, StatusCode};

use super::change_feed::ChangeFeed;
use super::change_reader::{ChangeReader, FeedParts, Followed};
use super::feed_stream;
use crate::layers::{AskedRequest, EdgeResponse, ResponseFacts, refused};
use crate::server::response::{AnsweredBy, EdgeBody, PlainResponse, json};
use calendar_edge_core::cache::forms::names_media_type;
use calendar_edge_core::cache::{entity_tag, if_none_match, is_known};
use calendar_edge_core::companion::feed::{FeedQuery, InvalidArgument};
use calendar_edge_core::errors::EdgeError;
use calendar_edge_core::gateway::authority::PublicAddress;
use calendar_edge_core::relay::cors::Audience;
use calendar_edge_core::relay::vary_by;
use calendar_edge_core::settings::Settings;
use calendar_edge_judge::problem::{Fault, InvalidParameter, Problem, Refusal};
use url::Url;

/// The public route of the feed.
#[derive(Debug)]
pub(crate) struct FeedRoute {
    parts: Arc<FeedParts>,
    paths: Vec<String>,
    longest_wait: Duration,
    public_url: Option<Url>,
    namespaces: Vec<String>,
    is_enabled: bool,
}

/// Where the feed is below a REST root. The companion plugin answers the edge's own signed requests there, at the site.
const PATH: &str = "/calendar-edge/v1/changes";

/// The header by which a stream goes on.
const LAST_EVENT_ID: &str = "last-event-id";

const EVENT_STREAM: &str = "text/event-stream";

// === impl FeedRoute ===

impl FeedRoute {
    pub(crate) fn new(settings: &Settings, parts: FeedParts) -> Self {
        let roots = settings.roots.iter();
        Self {
            parts: Arc::new(parts),
            paths: roots.map(|root| format!("{}{PATH}", root.path)).collect(),
            longest_wait: settings.feed.longest_wait,
            public_url: settings.public_url.clone(),
            namespaces: settings.public_namespaces(),
            is_enabled: settings.feed.enabled,
        }
    }

    /// Whether a request is for the feed, on or off.
    pub(crate) fn is_asked(&self, head: &Head) -> bool {
        matches!(head.method, Method::GET | Method::HEAD) && self.is_at(head.uri.path())
    }

    /// Whether this is the path of the feed.
    pub(crate) fn is_at(&self, path: &str) -> bool {
        self.paths.iter().any(|of_feed| path == of_feed)
    }

    /// Whether the settings have a feed.
    pub(crate) const fn is_enabled(&self) -> bool {
        self.is_enabled
    }

    /// Answers a reader, who was charged.
    pub(crate) async fn answer(&self, request: &AskedRequest) -> EdgeResponse {
        match self.reader(request) {
            Ok(reader) => self.follow(request, reader).await,
            Err(refusal) => refused(&refusal),
        }
    }

    fn reader(&self, request: &AskedRequest) -> Result<ChangeReader, Refusal> {
        let unavailable = || EdgeError::FeedUnavailable.refusal();
        let key = self.feed().key().ok_or_else(unavailable)?;
        let query = request.head.uri.query().unwrap_or_default();
        if query.len() > FeedQuery::LONGEST {
            return Err(EdgeError::TargetTooLong.refusal());
        }
        let last_event = request
            .head
            .headers
            .get(LAST_EVENT_ID)
            .filter(|_| is_stream(&request.head));
        let last_event = last_event.map(|id| id.to_str().unwrap_or_default());
        let query = FeedQuery::read(query, last_event, &key, &self.namespaces).map_err(invalid)?;
        Ok(ChangeReader {
            parts: Arc::clone(&self.parts),
            key,
            query,
            public: PublicAddress::of(self.public_url.as_ref(), request.context.addressed()),
        })
    }

    fn feed(&self) -> &ChangeFeed {
        self.parts.companions.feed()
    }

    async fn follow(&self, request: &AskedRequest, reader: ChangeReader) -> EdgeResponse {
        let wait = reader.query.wait.min(self.longest_wait);
        let is_stream = is_stream(&request.head);
        if !reader.is_heard().await {
            return refused(&EdgeError::FeedUnavailable.refusal());
        }
        if wait.is_zero() && !is_stream && !reader.query.includes_records {
            return poll(&request.head.headers, &reader, wait).await;
        }
        let place = match self.feed().enter(request.context.client.address) {
            Ok(place) => place,
            Err(full) => return refused(&full.refusal()).again_soon(),
        };
        if is_stream {
            return of_feed(feed_stream::stream(reader, place));
        }
        let answer = poll(&request.head.headers, &reader, wait).await;
        drop(place);
        answer
    }
}

/// Answers once, with 304 where the reader has this response.
async fn poll(headers: &HeaderMap, reader: &ChangeReader, wait: Duration) -> EdgeResponse {
    let page = match reader.next(wait).await {
        Followed::Page(page) | Followed::Ending(page) => page,
        Followed::Unheard => return refused(&EdgeError::FeedUnavailable.refusal()),
    };
    let text = reader.text(&page).await;
    let tag = entity_tag(&text);
    let has_it = if_none_match(headers).is_some_and(|condition| is_known(&condition, &tag));
    let mut answer = if has_it {
        not_modified()
    } else {
        json(StatusCode::OK, reader.count(text))
    };
    let headers = answer.headers_mut();
    headers.insert(ETAG, tag);
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    of_feed(answer)
}

fn not_modified() -> PlainResponse {
    let mut answer = PlainResponse::new(EdgeBody::default());
    *answer.status_mut() = StatusCode::NOT_MODIFIED;
    answer
}

fn of_feed(mut response: PlainResponse) -> EdgeResponse {
    vary_by(response.headers_mut(), "Accept");
    EdgeResponse {
        response,
        facts: ResponseFacts::Calendar {
            by: AnsweredBy::OwnRoute { code: "feed" },
            audience: Audience::Everybody,
            codings: None,
        },
    }
}

/// Whether a reader takes a stream.
fn is_stream(head: &Head) -> bool {
    head.method == Method::GET && names_media_type(&head.headers, EVENT_STREAM)
}

/// The refusal of an argument, in WordPress's words.
fn invalid(fault: InvalidArgument) -> Refusal {
    Refusal::plain(Problem::Invalid(vec![InvalidParameter {
        name: fault.name,
        fault: Fault::Strict(fault.expected),
    }]))
}
