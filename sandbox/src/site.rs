//! The site: one request in, one reply out, the phases of backend.md section 2 in between.

use std::sync::{Mutex, PoisonError};

use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use jiff::Timestamp;
use serde_json::json;
use url::Url;

use super::account::Caller;
use super::address::Address;
use super::answer::{Answer, Reply, Wishes};
use super::clock::Clock;
use super::refused::Refused;
use super::site_call::Call;
use super::store::{Store, seed};
use super::visit::Visit;
use super::{handlers, index, rules};
use calendar_edge_core::contract::{PLUGIN_NAMESPACE, Route};
use calendar_edge_core::payload::parse_form;
use calendar_edge_core::problem::Problem;
use calendar_edge_core::routing::{Roots, Target};
use calendar_edge_core::settings::Settings;

/// A calendar, its address and its clock.
#[derive(Debug)]
pub(super) struct Site {
    address: Address,
    clock: Clock,
    roots: Roots,
    store: Mutex<Store>,
}

// === impl Site ===

impl Site {
    /// A site with the sample calendar, as it would be at this moment of the clock.
    pub(super) fn new(address: Address, root: Url, clock: Clock) -> Self {
        let mut settings = Settings::for_origin(root);
        settings.namespaces = vec![PLUGIN_NAMESPACE.to_owned()];
        // WordPress has no such limit; PHP stops reading after a thousand.
        settings.limits.query_pairs = usize::MAX;
        Self {
            store: Mutex::new(seed(clock.now())),
            roots: Roots::new(&settings),
            address,
            clock,
        }
    }

    /// Answers one request.
    pub(super) fn reply(&self, parts: &Parts, body: &[u8]) -> Reply {
        let (path, query) = (parts.uri.path(), parts.uri.query());
        let visit = match self.roots.locate(&parts.method, path, query) {
            Target::Calendar(target) => Visit::new(parts, body, target.matched, target.query),
            Target::Invalid(_) => return bad_request(),
            Target::Site { .. } if path.trim_end_matches('/') == "/wp-json" => {
                let answer = Answer::ok(index::root(&self.address)).with("Allow", "GET");
                return self.plain(parts, answer);
            }
            Target::Site { .. } if path.starts_with("/wp-json/") => Visit::new(
                parts,
                body,
                None,
                parse_form(query.unwrap_or_default().as_bytes()).into(),
            ),
            Target::Site { .. } => return not_found(),
        };
        self.serve(parts, visit)
    }

    /// The answer to a request that is not looked into.
    pub(super) fn refuse(&self, parts: &Parts, refused: Refused) -> Reply {
        self.plain(parts, refused.into())
    }

    fn plain(&self, parts: &Parts, answer: Answer) -> Reply {
        let wishes = Wishes::default();
        self.dress(parts, Caller::default(), answer.lay_out(&wishes), &wishes)
    }

    fn serve(&self, parts: &Parts, mut visit: Visit<'_>) -> Reply {
        let wishes = Wishes::of(visit.parameters());
        if wishes.has_bad_callback() {
            let answer = Answer::from(Refused::from(Problem::InvalidCallback));
            let reply = answer.lay_out(&wishes.without_callback());
            return self.dress(parts, Caller::default(), reply, &wishes);
        }
        let caller = match Caller::of(visit.headers(), visit.has_nonce()) {
            Ok(caller) => caller,
            Err(refused) => {
                let reply = Answer::from(refused).lay_out(&wishes);
                return self.dress(parts, Caller::default(), reply, &wishes);
            }
        };
        let now = self.clock.now();
        let offered = visit
            .route()
            .filter(|_| visit.is_options() || visit.operation().is_some());
        // What has no route is not looked into, broken JSON or not.
        let read = match offered {
            Some(_) => visit.read_json(),
            None => Ok(()),
        };
        // A JSON body may name the fields it wants as well.
        let wishes = Wishes::of(visit.parameters());
        let answer = read
            .map_err(Refused::from)
            .and_then(|()| self.answer(visit, caller, now));
        let answer = answer.unwrap_or_else(Answer::from);
        let answer = match offered {
            Some(route) => answer.with("Allow", allow(route, caller)),
            None => answer,
        };
        self.dress(parts, caller, answer.lay_out(&wishes), &wishes)
    }

    fn answer(&self, visit: Visit<'_>, caller: Caller, now: Timestamp) -> Result<Answer, Refused> {
        if visit.is_options() {
            let described = visit
                .route()
                .map(|route| index::describe(route, &self.address, now));
            return Ok(Answer::ok(described.unwrap_or_else(|| json!([]))));
        }
        let operation = visit.operation().ok_or(Problem::NoRoute)?;
        let call = Call {
            operation,
            parameters: visit.into_bags(),
            caller,
            now,
        };
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        rules::judge(&call, &store)?;
        if operation.is_write() && !caller.may_write() {
            return Err(if caller.is_known() {
                Refused::NotAllowed
            } else {
                Problem::Forbidden.into()
            });
        }
        handlers::run(&call, &mut store, &self.address)
    }

    /// Adds the headers that go with every reply (backend.md section 10).
    fn dress(&self, parts: &Parts, caller: Caller, mut reply: Reply, wishes: &Wishes) -> Reply {
        let link = format!("<{}/>; rel=\"https://api.w.org/\"", self.address.rest_root());
        let headers = &mut reply.headers;
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static(wishes.media_type()),
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
        if caller.is_known() {
            let never = HeaderValue::from_static("Wed, 11 Jan 1984 05:00:00 GMT");
            headers.insert(header::EXPIRES, never);
            let private = "no-cache, must-revalidate, max-age=0, no-store, private";
            headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(private));
        }
        share(parts, caller, headers);
        reply
    }
}

/// WordPress shares its answers with every origin, credentials included.
fn share(parts: &Parts, caller: Caller, headers: &mut HeaderMap) {
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
    if origin.is_some() || (is_read && !caller.is_known()) {
        headers.insert(header::VARY, HeaderValue::from_static("Origin"));
    }
}

/// The methods of a route that the caller passes.
fn allow(route: Route, caller: Caller) -> String {
    let mut methods = index::allowed(route);
    if !caller.may_write() {
        methods.retain(|method| method == "GET");
    }
    methods.join(", ")
}

/// The page of a site that has no pages.
fn not_found() -> Reply {
    let content = "<title>Page not found</title>\n<p>The sandbox has an API and no pages.</p>";
    page(StatusCode::NOT_FOUND, content)
}

/// What a web server says to a target that can't be read. A `rest_route` that contradicts the path, which
/// WordPress obeys, ends here too: the sandbox offers no second way past its own paths.
fn bad_request() -> Reply {
    let content = "<title>400 Bad Request</title>\n<h1>400 Bad Request</h1>";
    page(StatusCode::BAD_REQUEST, content)
}

fn page(status: StatusCode, content: &'static str) -> Reply {
    let html = HeaderValue::from_static("text/html; charset=UTF-8");
    Reply {
        status,
        headers: HeaderMap::from_iter([(header::CONTENT_TYPE, html)]),
        body: format!("<!DOCTYPE html>\n{content}\n").into(),
    }
}
