//! Compresses answers of the calendar for clients that take it. The rest of the site leaves as the site sent it.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, VARY};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use http_body::Body;
use http_body_util::BodyExt;
use pin_project_lite::pin_project;
use tower::{Layer, Service};

use super::arrived_request::ArrivedRequest;
use crate::cache::compression::{Encoders, KeptForms};
use crate::server::response::{AnsweredBy, EdgeResponse, whole};
use calendar_edge_core::cache::compression::{Coding, Eligible, SHORTEST, eligible, preferred, weaken};
use calendar_edge_core::call::credentials::Caller;
use calendar_edge_core::relay::cors::Audience;
use calendar_edge_core::settings::CompressionSettings;

/// Compresses answers.
#[derive(Debug, Clone)]
pub(super) struct CompressLayer {
    settings: CompressionSettings,
    encoders: Encoders,
}

/// Compresses answers; makes no answer of its own.
#[derive(Debug, Clone)]
pub(super) struct Compress<S> {
    inner: S,
    settings: CompressionSettings,
    encoders: Encoders,
}

/// The facts of a request about the form of its answer.
#[derive(Debug)]
struct Wanted {
    is_head: bool,
    /// Whether answers with secrets of a client are compressed too.
    credentialed: bool,
    form: WantedForm,
    encoders: Encoders,
}

/// The form that a client gets of an answer.
#[derive(Debug, Clone, Copy)]
enum WantedForm {
    /// The only one: answers to this request are never compressed.
    Only,
    /// The plain one of several.
    Plain,
    /// A compressed one.
    Compressed(Coding),
}

// === impl CompressLayer ===

impl CompressLayer {
    pub(super) fn new(settings: &CompressionSettings) -> Self {
        Self {
            settings: settings.clone(),
            encoders: Encoders::default(),
        }
    }
}

impl<S> Layer<S> for CompressLayer {
    type Service = Compress<S>;

    fn layer(&self, inner: S) -> Self::Service {
        Compress {
            inner,
            settings: self.settings.clone(),
            encoders: self.encoders.clone(),
        }
    }
}

// === impl Compress ===

impl<S, B> Service<Box<ArrivedRequest<B>>> for Compress<S>
where
    S: Service<Box<ArrivedRequest<B>>, Response = EdgeResponse, Error = Infallible>,
{
    type Response = EdgeResponse;
    type Error = Infallible;
    type Future = CompressFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Box<ArrivedRequest<B>>) -> Self::Future {
        CompressFuture {
            wanted: Wanted::by(&request.head, &self.settings, &self.encoders),
            inner: self.inner.call(request),
        }
    }
}

pin_project! {
    /// Compresses the answer when it is ready.
    pub(super) struct CompressFuture<F> {
        #[pin]
        inner: F,
        wanted: Wanted,
    }
}

impl<F> Future for CompressFuture<F>
where
    F: Future<Output = Result<EdgeResponse, Infallible>>,
{
    type Output = Result<EdgeResponse, Infallible>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let wanted = this.wanted;
        this.inner.poll(cx).map_ok(|answer| wanted.form_of(answer))
    }
}

// === impl WantedForm ===

impl WantedForm {
    fn by(headers: &HeaderMap, settings: &CompressionSettings) -> Self {
        if !settings.enabled {
            return Self::Only;
        }
        // Beside a secret, the length of a compressed answer tells those who choose parts of it what the secret is (BREACH).
        let is_public = settings.credentialed || Caller::shown_by(headers) == Caller::Anonymous;
        match preferred(headers) {
            _ if !is_public => Self::Only,
            None => Self::Plain,
            Some(coding) => Self::Compressed(coding),
        }
    }
}

// === impl Wanted ===

impl Wanted {
    fn by(head: &Parts, settings: &CompressionSettings, encoders: &Encoders) -> Self {
        Self {
            is_head: head.method == Method::HEAD,
            form: WantedForm::by(&head.headers, settings),
            encoders: encoders.clone(),
            credentialed: settings.credentialed,
        }
    }

    /// The answer in the form that the client likes best.
    fn form_of(&self, answer: EdgeResponse) -> EdgeResponse {
        if matches!(self.form, WantedForm::Only) || !self.may_change(&answer) || self.is_short(&answer) {
            return answer;
        }
        let mut answer = answer;
        vary(answer.headers_mut());
        match self.form {
            WantedForm::Compressed(_) if answer.status() == StatusCode::NOT_MODIFIED => {
                // The tag of the 200 in whose place it stands: a cache finds what it keeps by that.
                weaken(answer.headers_mut());
                answer
            }
            WantedForm::Compressed(coding) => self.compressed(answer, coding),
            WantedForm::Only | WantedForm::Plain => answer,
        }
    }

    /// Only answers of the calendar: those of the rest of the site carry no [`AnsweredBy`].
    fn may_change(&self, answer: &EdgeResponse) -> bool {
        let extensions = answer.extensions();
        let is_public = self.credentialed || extensions.get() != Some(&Audience::OneClient);
        is_public
            && extensions.get::<AnsweredBy>().is_some()
            && eligible(answer.status(), answer.headers()) == Eligible::Yes
    }

    /// Whether the body of the answer to GET is known to be too short.
    fn is_short(&self, answer: &EdgeResponse) -> bool {
        let length = if answer.status() == StatusCode::NOT_MODIFIED {
            answer.extensions().get().map(KeptForms::plain_length)
        } else {
            let announced = answer.headers().get(CONTENT_LENGTH);
            let announced = announced.and_then(|length| length.to_str().ok()?.parse().ok());
            // The answer to HEAD has no body that could tell.
            let found = || answer.body().size_hint().upper().filter(|_| !self.is_head);
            announced.or_else(found)
        };
        length.is_some_and(|length: u64| length < SHORTEST)
    }

    fn compressed(&self, mut answer: EdgeResponse, coding: Coding) -> EdgeResponse {
        let kept = answer.extensions_mut().remove::<KeptForms>();
        if let Some(form) = kept.and_then(|forms| forms.form(coding)) {
            let length = HeaderValue::from(form.len());
            *answer.body_mut() = whole(form);
            encoded(answer.headers_mut(), coding);
            answer.headers_mut().insert(CONTENT_LENGTH, length);
            return answer;
        }
        if self.is_head {
            // Without its length nobody knows whether the answer to GET would be compressed.
            if answer.headers().contains_key(CONTENT_LENGTH) {
                encoded(answer.headers_mut(), coding);
            }
            return answer;
        }
        let (mut head, body) = answer.into_parts();
        match self.encoders.compress(body, coding) {
            Ok(body) => {
                encoded(&mut head.headers, coding);
                EdgeResponse::from_parts(head, body.boxed_unsync())
            }
            Err(body) => EdgeResponse::from_parts(head, body),
        }
    }
}

/// The headers of a compressed form, whose length is not known yet.
fn encoded(headers: &mut HeaderMap, coding: Coding) {
    headers.insert(CONTENT_ENCODING, coding.value());
    headers.remove(CONTENT_LENGTH);
    weaken(headers);
}

fn vary(headers: &mut HeaderMap) {
    let fields = headers.get_all(VARY).iter();
    let names = fields
        .filter_map(|field| field.to_str().ok())
        .flat_map(|field| field.split(','));
    let mut names = names.map(str::trim);
    if names.any(|name| name == "*" || name.eq_ignore_ascii_case("accept-encoding")) {
        return;
    }
    let coding = HeaderValue::from_static("Accept-Encoding");
    // A second field would need memory of its own in the map.
    match headers.get_mut(VARY) {
        Some(only) => match joined(only) {
            Some(both) => *only = both,
            None => drop(headers.append(VARY, coding)),
        },
        None => drop(headers.insert(VARY, coding)),
    }
}

/// A `Vary` that names `Accept-Encoding` too.
fn joined(vary: &HeaderValue) -> Option<HeaderValue> {
    HeaderValue::from_bytes(&[vary.as_bytes(), b", Accept-Encoding"].concat()).ok()
}
