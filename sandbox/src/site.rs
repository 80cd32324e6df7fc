//! The site: one request in, one response out, the phases of backend.md section 2 in between.

use std::sync::{Mutex, PoisonError};

use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use jiff::Timestamp;
use serde_json::json;
use url::Url;

use super::account::CurrentUser;
use super::address::Address;
use super::clock::Clock;
use super::planted::{Planted, Planter};
use super::rest_error::RestError;
use super::rest_request::RestRequest;
use super::site_call::Call;
use super::site_response::{EncodedResponse, ResponseOptions, SiteResponse};
use super::store::{Store, seed};
use super::{handlers, index, rules};
use calendar_edge_core::settings::Settings;
use calendar_edge_judge::contract::{PLUGIN_NAMESPACE, Route};
use calendar_edge_judge::problem::Problem;
use calendar_edge_judge::routing::{Roots, Target};
use calendar_edge_judge::wordpress::payload::parse_form;

/// A calendar, its address and its clock.
#[derive(Debug)]
pub(super) struct Site {
    address: Address,
    clock: Clock,
    roots: Roots,
    store: Mutex<Store>,
    planter: Planter,
}

// === impl Site ===

impl Site {
    /// A site with the sample calendar, as it would be at this moment of the clock.
    pub(super) fn new(address: Address, root: Url, clock: Clock, planted: Planted) -> Self {
        let mut settings = Settings::for_origin(root);
        settings.namespaces = vec![PLUGIN_NAMESPACE.to_owned()];
        // WordPress has no such limit; PHP stops reading after a thousand.
        settings.limits.query_pairs = usize::MAX;
        Self {
            store: Mutex::new(seed(clock.now())),
            roots: Roots::new(&settings.policy()),
            address,
            clock,
            planter: Planter::new(planted),
        }
    }

    /// Responds to one request.
    pub(super) fn respond(&self, parts: &Parts, body: &[u8]) -> EncodedResponse {
        match self.planter.break_off(parts.uri.path()) {
            Some(response) => self.plain(parts, response),
            None => self.planter.plant(self.true_response(parts, body)),
        }
    }

    fn true_response(&self, parts: &Parts, body: &[u8]) -> EncodedResponse {
        let (path, query) = (parts.uri.path(), parts.uri.query());
        let request = match self.roots.locate(&parts.method, path, query) {
            Target::Calendar(target) => RestRequest::new(parts, body, target.matched, target.query),
            Target::Invalid(_) => return bad_request(),
            Target::Site { .. } if path.trim_end_matches('/') == "/wp-json" => {
                let response = SiteResponse::ok(index::root(&self.address)).with("Allow", "GET");
                return self.plain(parts, response);
            }
            Target::Site { .. } if path.starts_with("/wp-json/") => RestRequest::new(
                parts,
                body,
                None,
                parse_form(query.unwrap_or_default().as_bytes()).into(),
            ),
            Target::Site { .. } => return not_found(),
        };
        self.serve(parts, request)
    }

    /// The response to a request that is not read further.
    pub(super) fn refuse(&self, parts: &Parts, error: RestError) -> EncodedResponse {
        self.plain(parts, error.into())
    }

    fn plain(&self, parts: &Parts, response: SiteResponse) -> EncodedResponse {
        let options = ResponseOptions::default();
        self.with_common_headers(parts, CurrentUser::default(), response.encode(&options), &options)
    }

    fn serve(&self, parts: &Parts, mut request: RestRequest<'_>) -> EncodedResponse {
        let options = ResponseOptions::of(request.parameters());
        if options.has_bad_callback() {
            let response = SiteResponse::from(RestError::from(Problem::InvalidCallback));
            let encoded = response.encode(&options.without_callback());
            return self.with_common_headers(parts, CurrentUser::default(), encoded, &options);
        }
        let user = match CurrentUser::of(request.headers(), request.has_nonce()) {
            Ok(user) => user,
            Err(error) => {
                let encoded = SiteResponse::from(error).encode(&options);
                return self.with_common_headers(parts, CurrentUser::default(), encoded, &options);
            }
        };
        let now = self.clock.now();
        let offered = request
            .route()
            .filter(|_| request.is_options() || request.operation().is_some());
        // The body is read only when the route has the method.
        let read = match offered {
            Some(_) => request.read_json(),
            None => Ok(()),
        };
        // A JSON body may have `_fields` as well.
        let options = ResponseOptions::of(request.parameters());
        let response = read
            .map_err(RestError::from)
            .and_then(|()| self.response(request, user, now));
        let response = response.unwrap_or_else(SiteResponse::from);
        let response = match offered {
            Some(route) => response.with("Allow", allow(route, user)),
            None => response,
        };
        self.with_common_headers(parts, user, response.encode(&options), &options)
    }

    fn response(
        &self,
        request: RestRequest<'_>,
        user: CurrentUser,
        now: Timestamp,
    ) -> Result<SiteResponse, RestError> {
        if request.is_options() {
            let described = request
                .route()
                .map(|route| index::describe(route, &self.address, now));
            return Ok(SiteResponse::ok(described.unwrap_or_else(|| json!([]))));
        }
        let operation = request.operation().ok_or(Problem::NoRoute)?;
        let call = Call {
            operation,
            parameters: request.into_parameters(),
            user,
            now,
        };
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        rules::judge(&call, &store)?;
        if operation.is_write() && !user.may_write() {
            return Err(if user.is_known() {
                RestError::NotAllowed
            } else {
                Problem::Forbidden.into()
            });
        }
        handlers::run(&call, &mut store, &self.address)
    }

    /// Adds the headers that go with every response (backend.md section 10).
    fn with_common_headers(
        &self,
        parts: &Parts,
        user: CurrentUser,
        mut encoded: EncodedResponse,
        options: &ResponseOptions,
    ) -> EncodedResponse {
        let link = format!("<{}/>; rel=\"https://api.w.org/\"", self.address.rest_root());
        let headers = &mut encoded.headers;
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static(options.media_type()),
        );
        headers.insert("x-robots-tag", HeaderValue::from_static("noindex"));
        headers.insert(
            header::X_CONTENT_TYPE_OPTIONS,
            HeaderValue::from_static("nosniff"),
        );
        if let Ok(link) = HeaderValue::from_str(&link) {
            headers.insert(header::LINK, link);
        }
        let exposed = HeaderValue::from_static("X-WP-Total, X-WP-TotalPages, Link");
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
        let allowed = "Authorization, X-WP-Nonce, Content-Disposition, Content-MD5, Content-Type";
        headers.insert(
            header::ACCESS_CONTROL_ALLOW_HEADERS,
            HeaderValue::from_static(allowed),
        );
        if user.is_known() {
            let never = HeaderValue::from_static("Wed, 11 Jan 1984 05:00:00 GMT");
            headers.insert(header::EXPIRES, never);
            let private = "no-cache, must-revalidate, max-age=0, no-store, private";
            headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(private));
        }
        share(parts, user, headers);
        encoded
    }
}

/// WordPress shares its responses with every origin, credentials included.
fn share(parts: &Parts, user: CurrentUser, headers: &mut HeaderMap) {
    let origin = parts
        .headers
        .get(header::ORIGIN)
        .filter(|origin| !origin.is_empty());
    if let Some(origin) = origin {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        let methods = HeaderValue::from_static("OPTIONS, GET, POST, PUT, PATCH, DELETE");
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, methods);
        headers.insert(
            header::ACCESS_CONTROL_ALLOW_CREDENTIALS,
            HeaderValue::from_static("true"),
        );
    }
    let is_read = matches!(parts.method, Method::GET | Method::HEAD);
    if origin.is_some() || (is_read && !user.is_known()) {
        headers.insert(header::VARY, HeaderValue::from_static("Origin"));
    }
}

/// The methods of a route that the user may call.
fn allow(route: Route, user: CurrentUser) -> String {
    let mut methods = index::allowed(route);
    if !user.may_write() {
        methods.retain(|method| method == "GET");
    }
    methods.join(", ")
}

/// The page of a site that has no pages.
fn not_found() -> EncodedResponse {
    let content = "<title>Page not found</title>\n<p>The sandbox has an API and no pages.</p>";
    page(StatusCode::NOT_FOUND, content)
}

/// A web server's response to an invalid target. A `rest_route` that contradicts the path, which WordPress obeys,
/// gets it too.
fn bad_request() -> EncodedResponse {
    let content = "<title>400 Bad Request</title>\n<h1>400 Bad Request</h1>";
    page(StatusCode::BAD_REQUEST, content)
}

fn page(status: StatusCode, content: &'static str) -> EncodedResponse {
    let html = HeaderValue::from_static("text/html; charset=UTF-8");
    EncodedResponse {
        status,
        headers: HeaderMap::from_iter([(header::CONTENT_TYPE, html)]),
        body: format!("<!DOCTYPE html>\n{content}\n").into(),
    }
}
