//! A request as WordPress reads it: route, method and four parameters of parameters.

use calendar_edge_judge::contract::Route;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Method};

use super::json;
use super::php::{Array, Key, Php, decoded, urldecoded};
use super::variables::{multipart, variables};
use crate::judging::{NAMESPACE, Request};

/// WordPress's view of a request when it selects a handler.
#[derive(Debug, Clone)]
pub(super) struct Reading {
    /// The language root: empty, or a directory.
    pub(super) language: String,
    /// The method after overrides; none if the override is not text.
    pub(super) method: Option<String>,
    /// The route and its parameter.
    pub(super) place: Option<Place>,
    pub(super) parameters: Parameters,
    /// The query, for parameters that WordPress reads from there.
    pub(super) query: Array,
    /// `$_REQUEST['_wpnonce']`, or else the header.
    pub(super) nonce: Option<Nonce>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Place {
    pub(super) route: Route,
    /// The raw text the route's placeholder matched.
    pub(super) parameter: Vec<u8>,
}

/// The parameters in their order, strongest first.
#[derive(Debug, Clone)]
pub(super) struct Parameters(pub(super) Vec<Array>);

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Nonce {
    Parameter(Php),
    Header(HeaderValue),
}

// === impl Parameters ===

impl Parameters {
    /// `get_param`: the first value that is not null.
    pub(super) fn get(&self, name: &str) -> Option<&Php> {
        let mut values = self.0.iter().filter_map(|sent| sent.get(name));
        values.find(|value| **value != Php::Null)
    }

    /// `has_param`: null counts.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|sent| sent.get(name).is_some())
    }

    /// Every name, in every sent.
    pub(super) fn names(&self) -> impl Iterator<Item = Vec<u8>> {
        let keys = self.0.iter().flat_map(Array::entries);
        keys.map(|(key, _)| match key {
            Key::Int(number) => number.to_string().into_bytes(),
            Key::Text(text) => text.clone(),
        })
    }
}

// === impl Reading ===

impl Reading {
    /// Reads a request; overrides of the method count.
    pub(super) fn of(request: &Request) -> Self {
        let query = variables(request.query.as_deref().unwrap_or_default().as_bytes());
        let method = overridden(request, &query);
        Self::with_method(request, query, method)
    }

    /// Reads a request as if no override stood in it.
    pub(super) fn without_override(request: &Request) -> Self {
        let query = variables(request.query.as_deref().unwrap_or_default().as_bytes());
        Self::with_method(request, query, Some(request.method.to_string()))
    }

    fn with_method(request: &Request, query: Array, method: Option<String>) -> Self {
        let php_form = php_form(request);
        let (language, route) = route(&request.path, &query, &php_form);
        let place = route.as_deref().and_then(place);
        let parameters = parameters(
            request,
            method.as_deref().unwrap_or_default(),
            &query,
            &php_form,
            place.as_ref(),
        );
        let nonce = php_form.get("_wpnonce").or_else(|| query.get("_wpnonce"));
        let nonce = nonce.cloned().map(Nonce::Parameter);
        let header = || request.headers.get("x-wp-nonce").cloned().map(Nonce::Header);
        Self {
            language,
            method,
            place,
            parameters,
            query,
            nonce: nonce.or_else(header),
        }
    }

    /// True if the body has parameters.
    pub(super) fn has_body_parameters(&self) -> bool {
        self.parameters.0.len() > 2
    }

    /// The value that the body has under a name; a null counts.
    pub(super) fn in_body(&self, name: &str) -> Option<&Php> {
        let bodies = self.parameters.0.len().saturating_sub(2);
        self.parameters.0[..bodies].iter().find_map(|sent| sent.get(name))
    }

    /// The same reading as if there were no body.
    pub(super) fn without_body(&self) -> Self {
        let mut reading = self.clone();
        let surplus = reading.parameters.0.len().saturating_sub(2);
        reading.parameters.0.drain(..surplus);
        reading
    }
}

fn overridden(request: &Request, query: &Array) -> Option<String> {
    if let Some(method) = query.get("_method").filter(|value| **value != Php::Null) {
        let text = method.as_text()?;
        return Some(String::from_utf8_lossy(text).to_ascii_uppercase());
    }
    let header = request.headers.get("x-http-method-override");
    let method = header.map_or(request.method.as_str().as_bytes(), HeaderValue::as_bytes);
    Some(String::from_utf8_lossy(method).to_ascii_uppercase())
}

/// `$_POST`.
fn php_form(request: &Request) -> Array {
    if request.method != Method::POST {
        return Array::default();
    }
    let content_type = content_type(request).unwrap_or_default();
    let essence = content_type
        .split([';', ',', ' '])
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    match essence.as_str() {
        "application/x-www-form-urlencoded" => variables(&request.body),
        "multipart/form-data" => {
            let parameter = content_type.split_once("oundary").map(|(_, rest)| rest);
            let boundary = parameter.and_then(|parameter| parameter.split_once('='));
            boundary.map_or_else(Array::default, |(_, boundary)| {
                let quoted = boundary.strip_prefix('"').map(|rest| rest.split('"'));
                let first =
                    quoted.map_or_else(|| boundary.split([',', ';']).next(), |mut parts| parts.next());
                multipart(&request.body, first.unwrap_or_default())
            })
        }
        _ => Array::default(),
    }
}

fn content_type(request: &Request) -> Option<String> {
    let value = request.headers.get(CONTENT_TYPE)?;
    Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
}

/// The parameters, strongest first: JSON, form, query, path.
fn parameters(
    request: &Request,
    method: &str,
    query: &Array,
    php_form: &Array,
    place: Option<&Place>,
) -> Parameters {
    let value = content_type(request)
        .map(|value| value.split(';').next().unwrap_or_default().to_ascii_lowercase())
        .filter(|value| value.contains('/'))
        .map(|value| value.trim().to_owned());
    let mut parameters = Vec::new();
    let is_json = value.as_deref().is_some_and(is_json);
    if is_json
        && !matches!(request.body.as_slice(), b"" | b"0")
        && let Some(Php::Array(members)) = json::decode(&request.body)
    {
        parameters.push(members);
    }
    if ["POST", "PUT", "PATCH", "DELETE"].contains(&method) {
        let mut form = php_form.clone();
        let is_form = value
            .as_deref()
            .is_none_or(|v| v == "application/x-www-form-urlencoded");
        if method != "POST" && is_form {
            for (key, value) in variables(&request.body).entries() {
                if !php_form.entries().iter().any(|(known, _)| known == key) {
                    form.set(key.clone(), value.clone());
                }
            }
        }
        if !form.entries().is_empty() {
            parameters.push(form);
        }
    }
    parameters.push(query.clone());
    let mut path = Array::default();
    if let Some((name, place)) = place.and_then(|place| Some((place.route.path_parameter()?, place))) {
        path.set(Key::read(name.as_bytes()), Php::Text(place.parameter.clone()));
    }
    parameters.push(path);
    Parameters(parameters)
}

/// `wp_is_json_media_type`: `(^|\s|,)application/([\w!#$&-^.+]+\+)?json(\+oembed)?($|\s|;|,)`.
fn is_json(value: &str) -> bool {
    let starts = value.match_indices("application/").map(|(at, _)| at);
    let ends_here = |rest: &str| {
        rest.chars()
            .next()
            .is_none_or(|next| next.is_ascii_whitespace() || [';', ','].contains(&next))
    };
    let in_class =
        |byte: u8| byte.is_ascii_alphanumeric() || b"_!#$.+".contains(&byte) || (b'&'..=b'^').contains(&byte);
    starts
        .filter(|&at| {
            at == 0 || value[..at].ends_with(|before: char| before.is_ascii_whitespace() || before == ',')
        })
        .any(|at| {
            let subtype = &value[at + "application/".len()..];
            subtype.match_indices("json").any(|(json, _)| {
                let prefix = &subtype[..json];
                let prefix_holds = prefix.is_empty()
                    || (prefix.len() > 1 && prefix.ends_with('+') && prefix.bytes().all(in_class));
                let rest = &subtype[json + 4..];
                prefix_holds && (ends_here(rest) || rest.strip_prefix("+oembed").is_some_and(ends_here))
            })
        })
}

/// The language directory and the route string; none where the request is none of the REST API.
fn route(path: &str, query: &Array, form: &Array) -> (String, Option<Vec<u8>>) {
    let path = path.trim_matches('/');
    let language = ["de", "da"].into_iter().find(|language| {
        path.strip_prefix(language)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    });
    let language = language.unwrap_or_default();
    let below = path[language.len()..].trim_matches('/');
    let in_path = match below.strip_prefix("index.php/") {
        Some(info) => from_requested(&path_info(info)),
        None => from_requested(below.as_bytes()),
    };
    let named = form.get("rest_route").or_else(|| query.get("rest_route"));
    let route = match named {
        Some(named) => named.as_text().map(<[u8]>::to_vec),
        None => in_path,
    };
    let route = route.filter(|route| !route.is_empty() && route != b"0");
    (language.to_owned(), route)
}

/// The text up to a question mark, which the web server decodes and WordPress escapes again.
fn path_info(info: &str) -> Vec<u8> {
    let text = decoded(info.as_bytes(), b'+');
    let text = text.split(|&byte| byte == b'?').next().unwrap_or_default();
    let escaped = text.iter().flat_map(|&byte| match byte {
        b'%' => b"%25".to_vec(),
        other => vec![other],
    });
    escaped.collect()
}

/// The rewrite rules for the REST API, on the raw path and then on the decoded one.
fn from_requested(requested: &[u8]) -> Option<Vec<u8>> {
    let rules = |text: &[u8]| {
        let rest = text.strip_prefix(b"wp-json")?;
        if matches!(rest, b"" | b"/" | b"\n" | b"/\n") {
            return Some(b"/".to_vec());
        }
        let line = rest.strip_prefix(b"/")?.split(|&byte| byte == b'\n').next()?;
        Some([b"/", line].concat())
    };
    rules(requested).or_else(|| rules(&urldecoded(requested)))
}

/// The route's own expression, matched without regard to case and to slashes at the end.
fn place(route: &[u8]) -> Option<Place> {
    let end = route
        .iter()
        .rposition(|byte| !b"/\\".contains(byte))
        .map_or(0, |last| last + 1);
    let route = &route[..end];
    Route::all().find_map(|candidate| {
        let template = format!("/{NAMESPACE}{}", candidate.template());
        let template = template.trim_end_matches('/');
        let (literal, placeholder) = template.split_once('{').unwrap_or((template, ""));
        let (start, rest) = route.split_at_checked(literal.len())?;
        if !start.eq_ignore_ascii_case(literal.as_bytes()) {
            return None;
        }
        let line = rest.strip_suffix(b"\n").unwrap_or(rest);
        let parameter = match placeholder {
            "" => line.is_empty().then_some(line),
            "id}" => (!line.is_empty() && line.iter().all(u8::is_ascii_digit)).then_some(line),
            _ => (!rest.is_empty() && !rest.contains(&b'/')).then_some(rest),
        };
        parameter.map(|parameter| Place {
            route: candidate,
            parameter: parameter.to_vec(),
        })
    })
}
