//! A request as WordPress's REST server holds it before it calls a route.

use std::sync::Arc;

use http::request::Parts;
use http::{HeaderMap, Method, header};

use calendar_edge_judge::contract::{Operation, Route, table};
use calendar_edge_judge::problem::Problem;
use calendar_edge_judge::routing::RouteMatch;
use calendar_edge_judge::wordpress::payload::{
    BodyReading, PHP_DEPTH, Parameters, Source, body_reading, parse_form, parse_json, parse_multipart,
};
use calendar_edge_judge::wordpress::value::{ArrayKind, Key, PhpArray, Value};

/// Fields of a multipart form.
const PARTS: usize = 1000;

/// A request, its route and the parameters read so far.
#[derive(Debug)]
pub(super) struct RestRequest<'a> {
    parts: &'a Parts,
    body: &'a [u8],
    method: Option<Method>,
    matched: Option<RouteMatch>,
    parameters: Parameters,
}

// === impl RestRequest ===

impl<'a> RestRequest<'a> {
    /// A request with a matched target. It has the fields of a form already; a JSON body is read later.
    pub(super) fn new(
        parts: &'a Parts,
        body: &'a [u8],
        matched: Option<RouteMatch>,
        query: Arc<PhpArray>,
    ) -> Self {
        let method = effective_method(parts, &query);
        let mut parameters = Parameters::default();
        if let Some(form) = method
            .as_ref()
            .and_then(|method| form(method, &parts.headers, body))
        {
            parameters.add(Source::Form, form);
        }
        parameters.add(Source::Query, query);
        if let Some(captured) = matched.as_ref().and_then(path_parameters) {
            parameters.add(Source::Path, captured);
        }
        Self {
            parts,
            body,
            method,
            matched,
            parameters,
        }
    }

    /// The parameters read so far.
    pub(super) fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The parameters.
    pub(super) fn into_parameters(self) -> Parameters {
        self.parameters
    }

    /// The headers.
    pub(super) fn headers(&self) -> &HeaderMap {
        &self.parts.headers
    }

    /// The route, where the path is one.
    pub(super) fn route(&self) -> Option<Route> {
        self.matched.as_ref().map(|matched| matched.route)
    }

    /// Whether the effective method is OPTIONS.
    pub(super) fn is_options(&self) -> bool {
        self.method == Some(Method::OPTIONS)
    }

    /// The operation, where method and path are one.
    pub(super) fn operation(&self) -> Option<&'static Operation> {
        table().find(self.route()?, self.method.as_ref()?)
    }

    /// Whether the request has a nonce: in a header, the query or a form, but not in JSON.
    pub(super) fn has_nonce(&self) -> bool {
        self.headers().contains_key("x-wp-nonce") || self.parameters.get("_wpnonce").is_some()
    }

    /// Reads a JSON body, on any method; only an object has parameters.
    pub(super) fn read_json(&mut self) -> Result<(), Problem> {
        let Some(method) = &self.method else {
            return Ok(());
        };
        let reading = body_reading(method, content_type(&self.parts.headers));
        let is_json = matches!(reading, BodyReading::Json | BodyReading::Contradictory);
        if !is_json || self.body.is_empty() {
            return Ok(());
        }
        let value = parse_json(self.body, PHP_DEPTH)?;
        if let Value::Array(members) = value
            && members.kind() == ArrayKind::Map
        {
            self.parameters.add(Source::Json, members);
        }
        Ok(())
    }
}

/// The method after WordPress's overrides; the query wins over the header. None for an invalid name.
fn effective_method(parts: &Parts, query: &PhpArray) -> Option<Method> {
    let header = parts
        .headers
        .get("x-http-method-override")
        .map(|value| value.as_bytes().to_vec());
    let asked = match query.get("_method") {
        Some(value) => value.as_text().map(<[u8]>::to_vec).or_else(|| Some(Vec::new())),
        None => header,
    };
    match asked {
        Some(name) => Method::from_bytes(&name.to_ascii_uppercase()).ok(),
        None => Some(parts.method.clone()),
    }
}

fn form(method: &Method, headers: &HeaderMap, body: &[u8]) -> Option<PhpArray> {
    match body_reading(method, content_type(headers)) {
        BodyReading::Form => Some(parse_form(body)),
        BodyReading::Multipart {
            boundary: Some(boundary),
        } => parse_multipart(body, boundary, PARTS).ok(),
        BodyReading::Multipart { boundary: None }
        | BodyReading::Json
        | BodyReading::Ignored
        | BodyReading::Contradictory => None,
    }
}

fn content_type(headers: &HeaderMap) -> Option<&[u8]> {
    headers.get(header::CONTENT_TYPE).map(http::HeaderValue::as_bytes)
}

fn path_parameters(matched: &RouteMatch) -> Option<PhpArray> {
    let name = matched.route.path_parameter()?;
    let value = matched.parameter.clone()?;
    let mut sent = PhpArray::new(ArrayKind::Map);
    sent.insert(Key::Text(name.as_bytes().into()), Value::text(value));
    Some(sent)
}
