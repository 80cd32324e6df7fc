//! The calls of the API, and the messages of the companion plugin.

use std::ops::RangeInclusive;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::header::{ALLOW, CONTENT_TYPE, LINK};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use jiff::tz::TimeZone;
use rusqlite::Connection;
use serde_json::Value;
use tokio::sync::mpsc::Sender;
use url::Url;

use crate::assembled::Assembler;
use crate::call::{Call, Target};
use crate::caller::{Audience, Caller, IDENTITY};
use crate::error::CallError;
use crate::seal::{Message, Opener, Refusal, SEAL};
use crate::secret::{Secret, unix_time};
use crate::store::Store;
use crate::texts::php_json;

const TOTAL: HeaderName = HeaderName::from_static("x-tec-total");
const PAGES: HeaderName = HeaderName::from_static("x-tec-totalpages");

/// What the service is told about the site.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The time zone of the site, for lists of events without dates.
    pub zone: TimeZone,
    /// The currency of costs: `USD`.
    pub currency: String,
    /// The address of the site as WordPress prints it, without a slash at the end: `https://events.example.org`.
    pub pages: String,
    /// Reads the identities of callers; without it all are anonymous.
    pub audience: Option<Audience>,
    /// The numbers for new venues. With them, venues are written here and no longer in WordPress.
    pub venue_numbers: Option<RangeInclusive<u64>>,
}

/// The service, below a REST root.
#[derive(Debug)]
pub(crate) struct Service {
    pub(crate) store: Arc<Store>,
    pub(crate) settings: Settings,
    root: String,
    api: String,
    /// The path of the API: `/api/calendar/events/v1/`.
    path: String,
    messages: Option<(Opener, Sender<Message>)>,
}

/// The service below a REST root, `http://127.0.0.1:9000/api`, in a namespace, `calendar/events/v1`. With a secret and
/// a queue it takes messages of the companion plugin at `/purge`.
pub fn router(
    store: Arc<Store>,
    settings: Settings,
    (root, namespace): (&Url, &str),
    messages: Option<(Secret, Sender<Message>)>,
) -> Router {
    let path = format!("{}/{namespace}/", root.path().trim_end_matches('/'));
    let root = root.as_str().trim_end_matches('/').to_owned();
    let service = Service {
        store,
        settings,
        api: format!("{root}/{namespace}"),
        root,
        path,
        messages: messages.map(|(secret, queue)| (Opener::new(secret), queue)),
    };
    Router::new()
        .route("/purge", post(take_message))
        .fallback(answer)
        .with_state(Arc::new(service))
}

/// Takes a message into the queue. One that finds no room is refused, and the plugin keeps it.
async fn take_message(State(service): State<Arc<Service>>, headers: HeaderMap, body: Bytes) -> Response {
    let seal = headers
        .get(SEAL)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let Some((opener, queue)) = &service.messages else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let Ok(room) = queue.try_reserve() else {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    };
    match opener.open(seal, &body, unix_time()) {
        Ok(message) => room.send(message),
        Err(Refusal::Denied) => return StatusCode::FORBIDDEN.into_response(),
        Err(Refusal::Repeated) => return StatusCode::CONFLICT.into_response(),
    }
    StatusCode::OK.into_response()
}

async fn answer(
    State(service): State<Arc<Service>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let named = headers.get(IDENTITY).map(|token| service.caller(token));
    let caller = match named {
        Some(None) => return service.refused(&CallError::Forbidden(StatusCode::FORBIDDEN), ""),
        caller => caller.flatten().unwrap_or_default(),
    };
    let below = uri.path().strip_prefix(service.path.as_str());
    let Some((kind, target)) = below.and_then(Target::read) else {
        return service.refused(&CallError::NoRoute, "");
    };
    let call = Call {
        service: &service,
        caller,
        kind,
        target,
    };
    let answered = match method {
        Method::GET | Method::HEAD => call.read(uri.query()),
        Method::POST => call.write(&body),
        Method::DELETE => call.delete(),
        _ => Err(CallError::NotClaimed(format!("{method}"))),
    };
    match answered {
        Ok((status, body, counts)) => service.response(status, &body, counts, call.allowed()),
        Err(error) => service.refused(&error, call.allowed()),
    }
}

// === impl Service ===

impl Service {
    fn caller(&self, token: &HeaderValue) -> Option<Caller> {
        let audience = self.settings.audience.as_ref()?;
        audience.caller(token.to_str().ok()?, unix_time())
    }

    pub(crate) fn assembler<'a>(&'a self, connection: &'a Connection) -> Assembler<'a> {
        Assembler {
            connection,
            site: &self.settings.pages,
            api: &self.api,
            currency: &self.settings.currency,
        }
    }

    fn refused(&self, error: &CallError, allowed: &'static str) -> Response {
        self.response(error.status(), &error.document(), None, allowed)
    }

    fn response(
        &self,
        status: StatusCode,
        body: &Value,
        counts: Option<(usize, usize)>,
        allowed: &'static str,
    ) -> Response {
        let mut response = (status, php_json(body)).into_response();
        let headers = response.headers_mut();
        headers.insert(
            CONTENT_TYPE,
            HeaderValue::from_static("application/json; charset=UTF-8"),
        );
        // Clients discover the API by this header.
        let link = HeaderValue::from_str(&format!("<{}/>; rel=\"https://api.w.org/\"", self.root));
        headers.extend(link.ok().map(|link| (LINK, link)));
        if !allowed.is_empty() {
            headers.insert(ALLOW, HeaderValue::from_static(allowed));
        }
        if let Some((total, pages)) = counts {
            headers.insert(TOTAL, total.into());
            headers.insert(PAGES, pages.into());
        }
        response
    }
}
