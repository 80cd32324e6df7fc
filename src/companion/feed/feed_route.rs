//! `GET {root}/calendar-edge/v1/changes`: the changes since a token, at once, after a wait, or as a stream; and
//! `{root}/calendar-edge/v1/records`: all records, chunk by chunk.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use bytes::Bytes;
use http::header::{CACHE_CONTROL, ETAG};
use http::request::Parts as Head;
use http::{HeaderMap, HeaderValue, Method, StatusCode};

use super::change_feed::ChangeFeed;
use super::change_reader::{ChangeReader, FeedParts};
use super::feed_stream;
use crate::layers::{BodilessRequest, EdgeResponse, ResponseFacts, refused};
use crate::server::response::{EdgeBody, PlainResponse, ResponseSource, json};
use calendar_edge_core::cache::forms::names_media_type;
use calendar_edge_core::cache::{entity_tag, if_none_match, is_known};
use calendar_edge_core::companion::feed::{FeedPart, FeedQuery, InvalidArgument};
use calendar_edge_core::errors;
use calendar_edge_core::gateway::authority::PublicAddress;
use calendar_edge_core::relay::cors::Audience;
use calendar_edge_core::relay::vary_by;
use calendar_edge_core::settings::Settings;
use calendar_edge_judge::problem::{Fault, InvalidParameter, Problem, Refusal};
use url::Url;

/// The public routes of the feed.
#[derive(Debug)]
pub(crate) struct FeedRoute {
    parts: Arc<FeedParts>,
    paths: Vec<(String, FeedPart)>,
    longest_wait: Duration,
    public_url: Option<Url>,
    namespaces: Vec<String>,
    /// True if the settings have a feed.
    pub(crate) is_enabled: bool,
}

/// Where the feed is below a REST root. At the site the companion plugin responds to the edge's own signed requests at
/// the first path.
const PATHS: [(&str, FeedPart); 2] = [
    ("/calendar-edge/v1/changes", FeedPart::Changes),
    ("/calendar-edge/v1/records", FeedPart::Records),
];

/// The lifetime of a chunk in other caches. A later one would do as well for its reader, because the feed leads on from
/// the same position; but a record that is no longer public must not stay.
const KEPT: HeaderValue = HeaderValue::from_static("public, max-age=10");

/// The header by which a stream goes on.
const LAST_EVENT_ID: &str = "last-event-id";

const EVENT_STREAM: &str = "text/event-stream";

// === impl FeedRoute ===

impl FeedRoute {
    pub(crate) fn new(settings: &Settings, parts: FeedParts) -> Self {
        let paths = settings.roots.iter().flat_map(|root| {
            let at = |(path, part)| (format!("{}{path}", root.path), part);
            PATHS.map(at)
        });
        Self {
            paths: paths.collect(),
            parts: Arc::new(parts),
            longest_wait: settings.feed.longest_wait,
            public_url: settings.public_url.clone(),
            namespaces: settings.public_namespaces(),
            is_enabled: settings.feed.enabled,
        }
    }

    /// True if a request is for the feed, on or off.
    pub(crate) fn is_for_feed(&self, head: &Head) -> bool {
        matches!(head.method, Method::GET | Method::HEAD) && self.part(head.uri.path()).is_some()
    }

    /// The part of the feed at a path.
    pub(crate) fn part(&self, path: &str) -> Option<FeedPart> {
        let found = self.paths.iter().find(|(of_feed, _)| path == of_feed);
        found.map(|(_, part)| *part)
    }

    /// Responds to a reader that was charged.
    pub(crate) async fn respond(&self, request: &BodilessRequest) -> EdgeResponse {
        let part = self.part(request.head.uri.path()).unwrap_or(FeedPart::Changes);
        match self.reader(request, part) {
            Err(refusal) => refused(&refusal),
            Ok(reader) if part == FeedPart::Changes => self.follow(request, reader).await,
            Ok(reader) => self.walk(request, reader).await,
        }
    }

    fn reader(&self, request: &BodilessRequest, part: FeedPart) -> Result<ChangeReader, Refusal> {
        let unavailable = || errors::FEED_UNAVAILABLE.refusal();
        let key = self.feed().key().ok_or_else(unavailable)?;
        let query = request.head.uri.query().unwrap_or_default();
        if query.len() > FeedQuery::LONGEST {
            return Err(errors::TARGET_TOO_LONG.refusal());
        }
        let last_event = request
            .head
            .headers
            .get(LAST_EVENT_ID)
            .filter(|_| part == FeedPart::Changes && is_stream(&request.head));
        let last_event = last_event.map(|id| id.to_str().unwrap_or_default());
        let query = FeedQuery::read((part, query), last_event, &key, &self.namespaces).map_err(invalid)?;
        Ok(ChangeReader {
            parts: Arc::clone(&self.parts),
            key,
            query,
            public: PublicAddress::of(self.public_url.as_ref(), request.context.addressed()),
            address: request.context.client.address,
            has_read: AtomicBool::new(false),
        })
    }

    fn feed(&self) -> &ChangeFeed {
        &self.parts.companions.feed
    }

    async fn follow(&self, request: &BodilessRequest, reader: ChangeReader) -> EdgeResponse {
        let wait = reader.query.wait.min(self.longest_wait);
        let is_stream = is_stream(&request.head);
        if !reader.has_number().await {
            return refused(&errors::FEED_UNAVAILABLE.refusal());
        }
        if wait.is_zero() && !is_stream && !reader.query.includes_records {
            return poll(&request.head.headers, &reader, wait).await;
        }
        let place = match self.feed().readers.enter(request.context.client.address) {
            Ok(place) => place,
            Err(full) => return refused(&full.refusal()).again_soon(),
        };
        if is_stream {
            return by_accept(of_feed(feed_stream::stream(reader, place)));
        }
        let answer = poll(&request.head.headers, &reader, wait).await;
        drop(place);
        answer
    }

    async fn walk(&self, request: &BodilessRequest, reader: ChangeReader) -> EdgeResponse {
        let _place = match self.feed().readers.enter(request.context.client.address) {
            Ok(place) => place,
            Err(full) => return refused(&full.refusal()).again_soon(),
        };
        match reader.walk().await {
            Ok(text) => conditional(&request.head.headers, reader.count(text), KEPT),
            Err(refusal) => *refusal,
        }
    }
}

/// Responds with one page.
async fn poll(headers: &HeaderMap, reader: &ChangeReader, wait: Duration) -> EdgeResponse {
    let Some(page) = reader.next(wait).await else {
        return refused(&errors::FEED_UNAVAILABLE.refusal());
    };
    let text = reader.count(reader.text(&page).await);
    by_accept(conditional(headers, text, HeaderValue::from_static("no-cache")))
}

/// A text, or 304 where the reader has it.
fn conditional(asked: &HeaderMap, text: Bytes, caching: HeaderValue) -> EdgeResponse {
    let tag = entity_tag(&text);
    let has_it = if_none_match(asked).is_some_and(|condition| is_known(&condition, &tag));
    let mut answer = if has_it {
        not_modified()
    } else {
        json(StatusCode::OK, text)
    };
    let headers = answer.headers_mut();
    headers.insert(ETAG, tag);
    headers.insert(CACHE_CONTROL, caching);
    of_feed(answer)
}

fn not_modified() -> PlainResponse {
    let mut answer = PlainResponse::new(EdgeBody::default());
    *answer.status_mut() = StatusCode::NOT_MODIFIED;
    answer
}

/// Changes come as a stream too.
fn by_accept(mut response: EdgeResponse) -> EdgeResponse {
    vary_by(response.headers_mut(), "Accept");
    response
}

fn of_feed(response: PlainResponse) -> EdgeResponse {
    EdgeResponse {
        response,
        facts: ResponseFacts::Calendar {
            by: ResponseSource::OwnRoute { code: "feed" },
            audience: Audience::Public,
            codings: None,
        },
    }
}

/// True if a reader accepts a stream.
fn is_stream(head: &Head) -> bool {
    head.method == Method::GET && names_media_type(&head.headers, EVENT_STREAM)
}

/// The refusal of an argument, in WordPress's words.
pub(super) fn invalid(fault: InvalidArgument) -> Refusal {
    Refusal::plain(Problem::Invalid(vec![InvalidParameter {
        name: fault.name,
        fault: Fault::Strict(fault.expected),
    }]))
}
