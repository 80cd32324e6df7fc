//! A request for a route of the site, judged by the contract.

use std::borrow::Cow;

use http::Method;

use super::published::SiteContract;
use super::site_routes::{Unsure, answering};
use calendar_edge_judge::wordpress::payload::{
    BodyReading, ContentHeaders, JsonRefusal, PHP_DEPTH, Parameters, Source, body_reading, parse_form,
    parse_form_body, parse_json,
};
use calendar_edge_judge::wordpress::schema::{ArgumentsVerdict, SiteRefusal, judge_arguments};
use calendar_edge_judge::wordpress::value::Value;

/// A request for a REST route of the site.
#[derive(Debug, Clone, Copy)]
pub struct SiteRequest<'a> {
    /// The method on the wire.
    pub method: &'a Method,
    /// The value of `X-HTTP-Method-Override`.
    pub overridden: Option<&'a str>,
    /// The path as it was sent.
    pub path: &'a str,
    /// The query as it was sent; empty if there is none.
    pub query: &'a str,
    /// The route that the two name, in lower case, without slashes at its ends.
    pub route: &'a str,
    /// The headers of the body.
    pub content: ContentHeaders<'a>,
    /// The whole body; none: it was not read to its end.
    pub body: Option<&'a [u8]>,
}

/// A request for a route of the contract, and the verdict on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgedSiteRequest {
    /// The namespace of the route.
    pub namespace: Box<str>,
    /// The route as the site registered it.
    pub route: Box<str>,
    /// The method that WordPress obeys.
    pub method: Box<str>,
    /// What WordPress would do about the arguments.
    pub verdict: ArgumentsVerdict,
    /// The arguments of the route that were sent, as far as they were read; none of their values.
    pub sent: Vec<Box<str>>,
    /// False if the caller may have asked for another language than the site's.
    pub(super) knows_words: bool,
}

/// Variables of a query that change the method, or the form of the answer.
const UNUSUAL: [&str; 3] = ["_method", "_envelope", "_jsonp"];

// === impl SiteContract ===

impl SiteContract {
    /// Judges a request; none if its route is not in the contract, or its method has no arguments to judge.
    pub fn judge(&self, request: &SiteRequest<'_>) -> Option<JudgedSiteRequest> {
        let method = request.effective_method();
        if matches!(&*method, "OPTIONS" | "HEAD") {
            return None;
        }
        let route = format!("/{}", request.route);
        let found = match answering(&self.routes, &route, &method) {
            Ok(found) => found?,
            Err(Unsure { route }) => {
                return Some(JudgedSiteRequest::new(&route.namespace, &route.route, &method));
            }
        };
        let mut judged = JudgedSiteRequest::new(&found.route.namespace, &found.route.route, &method);
        let query = parse_form(request.query.as_bytes());
        judged.knows_words = query.get("_locale").and_then(Value::as_text) != Some(b"user");
        let is_usual = UNUSUAL.iter().all(|name| query.get(name).is_none());
        if self.can_judge && is_usual && !found.endpoint.checks_whole && request.has_exact_route() {
            let mut sent = Parameters::default();
            let unread = self.add_body(request, &mut sent).err();
            sent.add(Source::Query, query);
            sent.add(Source::Path, found.path);
            let arguments = &found.endpoint.arguments;
            judged.verdict = unread.unwrap_or_else(|| judge_arguments(arguments, &sent, &self.words));
            let names = arguments.iter().map(|argument| &argument.name);
            judged.sent = names.filter(|name| sent.get(name).is_some()).cloned().collect();
        }
        Some(judged)
    }

    /// Reads the body; the error is the verdict on one that cannot be read.
    fn add_body(&self, request: &SiteRequest<'_>, sent: &mut Parameters) -> Result<(), ArgumentsVerdict> {
        let Some(body) = request.body else {
            return Err(ArgumentsVerdict::Defer);
        };
        if body.is_empty() {
            return Ok(());
        }
        let content = request.content;
        if content.repeats_type() || content.is_coded() {
            return Err(ArgumentsVerdict::Defer);
        }
        match body_reading(request.method, content.content_type()) {
            BodyReading::Ignored => Ok(()),
            // PHP calls this body empty.
            BodyReading::Json if body == b"0" => Ok(()),
            BodyReading::Json => match parse_json(body, PHP_DEPTH) {
                Ok(Value::Array(members)) => {
                    sent.add(Source::Json, members);
                    Ok(())
                }
                Ok(_) => Ok(()),
                Err(JsonRefusal::Invalid(_)) => {
                    Err(ArgumentsVerdict::Reject(SiteRefusal::invalid_json(&self.words)))
                }
                Err(JsonRefusal::TooManyElements(_)) => Err(ArgumentsVerdict::Defer),
            },
            BodyReading::Form if request.overridden.is_none() => {
                let fields = parse_form_body(body).map_err(|_| ArgumentsVerdict::Defer)?;
                // It may name another route.
                if fields.get("rest_route").is_some() {
                    return Err(ArgumentsVerdict::Defer);
                }
                sent.add(Source::Form, fields);
                Ok(())
            }
            BodyReading::Form | BodyReading::Multipart { .. } | BodyReading::Contradictory => {
                Err(ArgumentsVerdict::Defer)
            }
        }
    }
}

// === impl SiteRequest ===

impl<'a> SiteRequest<'a> {
    fn effective_method(&self) -> Cow<'a, str> {
        match self.overridden {
            Some(method) => Cow::Owned(method.to_ascii_uppercase()),
            None => Cow::Borrowed(self.method.as_str()),
        }
    }

    /// Whether the path or the query spells the route exactly so: small letters, single slashes.
    fn has_exact_route(&self) -> bool {
        let path = self.path.trim_end_matches('/');
        let query = parse_form(self.query.as_bytes());
        match query.get("rest_route").and_then(Value::as_text) {
            Some(named) => {
                named == self.route.as_bytes() || named.strip_prefix(b"/") == Some(self.route.as_bytes())
            }
            None => path
                .strip_suffix(self.route)
                .is_some_and(|before| before.ends_with('/')),
        }
    }
}

// === impl JudgedSiteRequest ===

impl JudgedSiteRequest {
    /// A request whose arguments are left to the site.
    fn new(namespace: &str, route: &str, method: &str) -> Self {
        Self {
            namespace: namespace.into(),
            route: route.into(),
            method: method.into(),
            verdict: ArgumentsVerdict::Defer,
            sent: Vec::new(),
            knows_words: true,
        }
    }
}
