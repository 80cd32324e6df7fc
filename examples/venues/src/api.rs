//! The routes of the API.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Query, RawQuery, State};
use axum::http::header::{ALLOW, CONTENT_TYPE, LINK};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::middleware::map_response;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde_json::{Map, Value, json};
use url::{Url, form_urlencoded};

use crate::query::VenueQuery;
use crate::store::{Page, Store};

const TOTAL: HeaderName = HeaderName::from_static("x-tec-total");
const PAGES: HeaderName = HeaderName::from_static("x-tec-totalpages");

/// What every route needs.
#[derive(Debug, Clone)]
struct Service {
    store: Arc<Store>,
    /// The URL of the list, as this service prints it; the edge makes it public.
    list_url: Arc<str>,
}

/// A refusal in WordPress's form.
#[derive(Debug, thiserror::Error)]
enum ApiError {
    #[error("Invalid parameter(s): {0}")]
    Invalid(&'static str),
    #[error("The requested venue archive page does not exist")]
    NoSuchPage,
    #[error("No route was found matching the URL and request method.")]
    NoRoute,
    #[error("The database cannot be read")]
    Store(#[from] rusqlite::Error),
}

/// The service below a REST root, `http://127.0.0.1:9000/api`, in a namespace, `calendar/events/v1`.
pub fn router(store: Arc<Store>, root: &Url, namespace: &str) -> Router {
    let base = format!("{}/{namespace}", root.path().trim_end_matches('/'));
    let root = root.as_str().trim_end_matches('/');
    // Clients discover the API by this header.
    let link = HeaderValue::from_str(&format!("<{root}/>; rel=\"https://api.w.org/\""));
    let link = link.unwrap_or(HeaderValue::from_static(""));
    let service = Service {
        store,
        list_url: format!("{root}/{namespace}/venues/").into(),
    };
    Router::new()
        .route(&format!("{base}/venues"), get(list))
        .route(&format!("{base}/venues/{{id}}"), get(read))
        .route(&format!("{base}/venues/by-slug/{{slug}}"), get(read_by_slug))
        .fallback(|| async { ApiError::NoRoute })
        .with_state(service)
        .layer(map_response(move |mut response: Response| {
            response.headers_mut().insert(LINK, link.clone());
            std::future::ready(response)
        }))
}

async fn list(
    State(service): State<Service>,
    RawQuery(sent): RawQuery,
    query: Result<Query<VenueQuery>, axum::extract::rejection::QueryRejection>,
) -> Result<Response, ApiError> {
    let Query(query) = query.map_err(|_| ApiError::Invalid(first_bad(sent.as_deref())))?;
    let page = service.store.list(&query)?;
    if page.records.is_empty() && query.page > 1 {
        return Err(ApiError::NoSuchPage);
    }
    let mut response = ok(document(&service.list_url, &query, &page));
    response.headers_mut().insert(TOTAL, page.total.into());
    response.headers_mut().insert(PAGES, page.pages.into());
    Ok(response)
}

async fn read(State(service): State<Service>, Path(id): Path<String>) -> Result<Response, ApiError> {
    let id: u64 = id.parse().map_err(|_| ApiError::NoRoute)?;
    let found = service.store.by_id(id)?;
    Ok(ok(found.ok_or(ApiError::Invalid("id"))?))
}

async fn read_by_slug(
    State(service): State<Service>,
    Path(slug): Path<String>,
) -> Result<Response, ApiError> {
    let found = service.store.by_slug(&slug)?;
    Ok(ok(found.ok_or(ApiError::Invalid("slug"))?))
}

/// The first number of the table that cannot be read; the edge refuses such calls before they come here.
fn first_bad(query: Option<&str>) -> &'static str {
    let is_bad = |wanted: &str| {
        let mut pairs = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
        pairs.any(|(name, value)| name == wanted && !value.parse().is_ok_and(|number: u64| number > 0))
    };
    ["page", "per_page", "event"]
        .into_iter()
        .find(|name| is_bad(name))
        .unwrap_or("page")
}

/// The document of a list. The records are JSON already and are not parsed again.
fn document(list_url: &str, query: &VenueQuery, page: &Page) -> String {
    let mut others = addresses(list_url, query, page.pages);
    others.insert("total".to_owned(), page.total.into());
    others.insert("total_pages".to_owned(), page.pages.into());
    let others = Value::Object(others).to_string();
    let others = others.strip_prefix('{').unwrap_or_default();
    format!("{{\"venues\":[{}],{others}", page.records.join(","))
}

/// The URLs of this page and of its neighbours.
fn addresses(list_url: &str, query: &VenueQuery, pages: u64) -> Map<String, Value> {
    let mut arguments = vec![("per_page", query.page_size().to_string())];
    arguments.extend(query.event.map(|event| ("event", event.to_string())));
    arguments.extend(query.has_events.clone().map(|wanted| ("has_events", wanted)));
    arguments.push(("status", "publish".to_owned()));
    let plain: Vec<String> = arguments
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let mut addresses = Map::new();
    let own = format!("{list_url}?page={}&{}", query.page, plain.join("&"));
    addresses.insert("rest_url".to_owned(), own.into());
    let neighbour = |page: Option<u64>| {
        let mut encoded = form_urlencoded::Serializer::new(String::new());
        encoded.extend_pairs(&arguments);
        encoded.extend_pairs(page.map(|page| ("page", page.to_string())));
        Value::from(format!("{list_url}?{}", encoded.finish()))
    };
    if query.page < pages {
        addresses.insert("next_rest_url".to_owned(), neighbour(Some(query.page + 1)));
    }
    if query.page > 1 {
        let previous = Some(query.page - 1).filter(|page| *page > 1);
        addresses.insert("previous_rest_url".to_owned(), neighbour(previous));
    }
    addresses
}

fn ok(body: String) -> Response {
    answer(StatusCode::OK, body)
}

fn answer(status: StatusCode, body: String) -> Response {
    let headers = [
        (
            CONTENT_TYPE,
            HeaderValue::from_static("application/json; charset=UTF-8"),
        ),
        (ALLOW, HeaderValue::from_static("GET")),
    ];
    (status, headers, body).into_response()
}

// === impl ApiError ===

impl ApiError {
    fn status(&self) -> StatusCode {
        match self {
            Self::Invalid(_) => StatusCode::BAD_REQUEST,
            Self::NoSuchPage | Self::NoRoute => StatusCode::NOT_FOUND,
            Self::Store(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    const fn code(&self) -> &'static str {
        match self {
            Self::Invalid(_) => "rest_invalid_param",
            Self::NoSuchPage => "venue-archive-page-not-found",
            Self::NoRoute => "rest_no_route",
            Self::Store(_) => "database_error",
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status = self.status();
        let data = match &self {
            Self::Invalid(name) => json!({
                "status": status.as_u16(),
                "params": {*name: "Invalid parameter."},
                "details": [],
            }),
            Self::NoSuchPage | Self::NoRoute | Self::Store(_) => json!({"status": status.as_u16()}),
        };
        let document = json!({"code": self.code(), "message": self.to_string(), "data": data});
        answer(status, document.to_string())
    }
}
