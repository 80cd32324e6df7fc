//! Compresses responses of the calendar for clients that take it. The rest of the site leaves as the site sent it.

use http::header::{CONTENT_ENCODING, CONTENT_LENGTH};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use http_body::Body;
use http_body_util::BodyExt;

use super::around::AroundRequest;
use super::arrived_request::ArrivedRequest;
use super::compression::Encoders;
use super::response::EdgeResponse;
use crate::server::response::whole;
use calendar_edge_core::cache::compression::{Coding, SHORTEST, eligible, preferred, weaken};
use calendar_edge_core::relay::cors::Audience;
use calendar_edge_core::relay::vary_by;
use calendar_edge_core::settings::CompressionSettings;
use calendar_edge_judge::call::credentials::Caller;

/// Compresses responses.
#[derive(Debug, Clone)]
pub(super) struct Compress {
    settings: CompressionSettings,
    encoders: Encoders,
}

/// The facts of a request about the coding of its response.
#[derive(Debug)]
pub(super) struct Wanted {
    is_head: bool,
    /// The content coding that the client gets; none: the plain one of several.
    coding: Option<Coding>,
    encoders: Encoders,
}

// === impl Compress ===

impl Compress {
    pub(super) fn new(settings: &CompressionSettings) -> Self {
        Self {
            settings: settings.clone(),
            encoders: Encoders::default(),
        }
    }
}

impl AroundRequest for Compress {
    /// None: responses to this request are never compressed.
    type Facts = Option<Wanted>;

    fn request<B>(&self, request: &mut ArrivedRequest<B>) -> Option<Wanted> {
        let head = &request.head;
        // Beside a secret, the length of a compressed response shows the secret to a client that chooses parts of it
        // (BREACH).
        let is_public = Caller::shown_by(&head.headers) == Caller::Anonymous;
        (self.settings.enabled && is_public).then(|| Wanted {
            is_head: head.method == Method::HEAD,
            coding: preferred(&head.headers),
            encoders: self.encoders.clone(),
        })
    }

    fn response(wanted: &mut Option<Wanted>, answer: &mut EdgeResponse) {
        if let Some(wanted) = wanted {
            wanted.encode(answer);
        }
    }
}

// === impl Wanted ===

impl Wanted {
    /// Gives the response the coding that the client prefers.
    fn encode(&self, answer: &mut EdgeResponse) {
        if !Self::may_change(answer) || self.is_short(answer) {
            return;
        }
        vary_by(answer.headers_mut(), "Accept-Encoding");
        match self.coding {
            Some(_) if answer.status() == StatusCode::NOT_MODIFIED => {
                // The tag of the 200 in whose place it stands: a cache finds its stored response by that.
                weaken(answer.headers_mut());
            }
            Some(coding) => self.compress(answer, coding),
            None => {}
        }
    }

    /// Only responses of the calendar: those of the rest of the site pass unchanged.
    fn may_change(answer: &EdgeResponse) -> bool {
        let is_public = answer.facts.audience() != Some(Audience::OneClient);
        is_public && answer.facts.by().is_some() && eligible(answer.status(), answer.headers())
    }

    /// True if the body of the response to GET is known to be too short.
    fn is_short(&self, answer: &EdgeResponse) -> bool {
        let length = if answer.status() == StatusCode::NOT_MODIFIED {
            answer.facts.codings().map(|codings| codings.plain_length())
        } else {
            let announced = answer.headers().get(CONTENT_LENGTH);
            let announced = announced.and_then(|length| length.to_str().ok()?.parse().ok());
            // The response to HEAD has no body that could show it.
            let found = || answer.body().size_hint().upper().filter(|_| !self.is_head);
            announced.or_else(found)
        };
        length.is_some_and(|length: u64| length < SHORTEST)
    }

    fn compress(&self, answer: &mut EdgeResponse, coding: Coding) {
        if let Some(coded) = answer.facts.codings().and_then(|codings| codings.coded(coding)) {
            let length = HeaderValue::from(coded.len());
            *answer.body_mut() = whole(coded);
            encoded(answer.headers_mut(), coding);
            answer.headers_mut().insert(CONTENT_LENGTH, length);
            return;
        }
        if self.is_head {
            // Without its length it is unknown if the response to GET would be compressed.
            if answer.headers().contains_key(CONTENT_LENGTH) {
                encoded(answer.headers_mut(), coding);
            }
            return;
        }
        match self.encoders.compress(std::mem::take(answer.body_mut()), coding) {
            Ok(body) => {
                encoded(answer.headers_mut(), coding);
                *answer.body_mut() = body.boxed_unsync();
            }
            Err(body) => *answer.body_mut() = body,
        }
    }
}

/// The headers of a compressed form, whose length is not known yet.
fn encoded(headers: &mut HeaderMap, coding: Coding) {
    headers.insert(CONTENT_ENCODING, coding.value());
    headers.remove(CONTENT_LENGTH);
    weaken(headers);
}
