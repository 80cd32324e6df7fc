//! The canonical request: every known parameter once, in table order, in one place.

use std::borrow::Cow;

use bytes::Bytes;
use http::{HeaderValue, Method};

use super::canonical::CanonicalRequest;
use super::linked::usable;
use super::reading::RawCall;
use crate::contract::{Action, Argument, Kind, Operation, Route, Rule, Treatment, global::GLOBALS, obeyed};
use crate::payload::{Bags, Source};
use crate::problem::{EdgeError, Problem};
use crate::target::{RouteMatch, canonical_slug};
use crate::value::{NotUtf8, Value, write_json, write_json_text, write_query};

/// What the encoder needs to know beside the call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Encoding<'a> {
    /// The namespace at the origin.
    pub(super) namespace: &'a str,
    /// Undeclared parameters that are forwarded for this operation.
    pub(super) extra: &'a [String],
}

/// Writes the request of an operation.
///
/// # Errors
/// A form value that is not UTF-8 cannot become JSON.
pub(super) fn encode(
    call: &RawCall<'_>,
    matched: &RouteMatch,
    operation: &Operation,
    bags: &Bags,
    encoding: Encoding<'_>,
) -> Result<CanonicalRequest, Problem> {
    let writes_body = matches!(operation.id.action, Action::Create | Action::Update);
    let mut query = String::new();
    if !writes_body {
        for (name, value) in arguments(operation, bags, encoding) {
            write_query(name, &value, &mut query);
        }
    }
    let declared = |name: &str| !writes_body && operation.argument(name.as_bytes()).is_some();
    write_globals(bags, declared, &mut query);
    let body = if writes_body {
        Some(json_body(arguments(operation, bags, encoding)).map_err(|NotUtf8| NOT_UTF8)?)
    } else {
        None
    };
    Ok(CanonicalRequest {
        root: call.spot.root,
        method: method(call.method, operation.id.action),
        path: path(encoding.namespace, matched),
        query: Some(query).filter(|query| !query.is_empty()),
        body,
        nonce: nonce(call.method, bags),
    })
}

/// The request for the description of a route, which OPTIONS asks for.
pub(super) fn encode_options(
    call: &RawCall<'_>,
    matched: &RouteMatch,
    bags: &Bags,
    namespace: &str,
) -> CanonicalRequest {
    let mut query = String::new();
    write_globals(bags, |_| false, &mut query);
    CanonicalRequest {
        root: call.spot.root,
        method: Method::OPTIONS,
        path: path(namespace, matched),
        query: Some(query).filter(|query| !query.is_empty()),
        body: None,
        nonce: nonce(call.method, bags),
    }
}

fn method(sent: &Method, action: Action) -> Method {
    match action {
        Action::Describe | Action::List | Action::Read if sent == Method::HEAD => Method::HEAD,
        Action::Describe | Action::List | Action::Read => Method::GET,
        Action::Create | Action::Update => Method::POST,
        Action::Delete => Method::DELETE,
    }
}

fn path(namespace: &str, matched: &RouteMatch) -> String {
    let parameter = matched.parameter.as_deref().unwrap_or_default();
    match matched.route {
        Route::Index => format!("/{namespace}"),
        Route::Doc => format!("/{namespace}/doc"),
        Route::Collection(kind) => format!("/{namespace}/{}", kind.collection()),
        Route::Item(kind) => format!("/{namespace}/{}/{}", kind.collection(), canonical_id(parameter)),
        Route::BySlug(kind) => {
            format!(
                "/{namespace}/{}/by-slug/{}",
                kind.collection(),
                canonical_slug(parameter)
            )
        }
    }
}

/// The digits without leading zeros.
pub(super) fn canonical_id(digits: &[u8]) -> String {
    let mut significant = digits;
    while let [b'0', rest @ ..] = significant
        && !rest.is_empty()
    {
        significant = rest;
    }
    significant.iter().map(|&digit| char::from(digit)).collect()
}

/// The values that travel, in table order: declared ones, then those the backend obeys undeclared, then
/// what the settings add.
fn arguments<'a>(
    operation: &'a Operation,
    bags: &'a Bags,
    encoding: Encoding<'a>,
) -> impl Iterator<Item = (&'a str, Cow<'a, Value>)> {
    let in_path = operation.id.route.path_parameter();
    let declared = operation
        .arguments
        .iter()
        .filter(move |argument| Some(argument.name) != in_path);
    let declared =
        declared.filter_map(move |argument| Some((argument.name, argument_value(argument, bags, encoding)?)));
    let undeclared = obeyed(operation.id)
        .iter()
        .copied()
        .chain(encoding.extra.iter().map(String::as_str));
    let undeclared =
        undeclared.filter_map(|name| bags.get(name).map(|(_, value)| (name, Cow::Borrowed(value))));
    declared.chain(undeclared)
}

fn argument_value<'a>(
    argument: &'a Argument,
    bags: &'a Bags,
    encoding: Encoding<'_>,
) -> Option<Cow<'a, Value>> {
    let Some((_, value)) = bags.get(argument.name) else {
        // A JSON null is a value to the handlers that look for it.
        return bags.of(Source::Json)?.get(argument.name).map(Cow::Borrowed);
    };
    let usable = match argument.rule {
        Rule::VenueEntry => usable(Kind::Venue, value),
        Rule::OrganizerEntry => usable(Kind::Organizer, value),
        _ if argument.name == "namespace" => Some(Value::text(encoding.namespace)),
        _ => None,
    };
    Some(usable.map_or(Cow::Borrowed(value), Cow::Owned))
}

/// Writes the global parameters, but for those that are written already.
fn write_globals(bags: &Bags, is_written: impl Fn(&str) -> bool, query: &mut String) {
    for global in GLOBALS
        .iter()
        .filter(|global| global.treatment != Treatment::Drop && !is_written(global.name))
    {
        let value = match global.treatment {
            Treatment::Forward => bags.get(global.name).map(|(_, value)| value),
            Treatment::ForwardFromQuery | Treatment::RefuseUnlessAllowed => {
                bags.of(Source::Query).and_then(|sent| sent.get(global.name))
            }
            Treatment::Nonce | Treatment::Route | Treatment::Drop => None,
        };
        if let Some(value) = value {
            write_query(global.name, value, query);
        }
    }
}

fn json_body<'a>(members: impl Iterator<Item = (&'a str, Cow<'a, Value>)>) -> Result<Bytes, NotUtf8> {
    let mut json = vec![b'{'];
    for (name, value) in members {
        if json.len() > 1 {
            json.push(b',');
        }
        write_json_text(name.as_bytes(), &mut json)?;
        json.push(b':');
        write_json(&value, &mut json)?;
    }
    json.push(b'}');
    Ok(Bytes::from(json))
}

/// The nonce of a form PHP reads, else of the query. What no header can carry is a nonce that never holds.
pub(super) fn nonce(method: &Method, bags: &Bags) -> Option<HeaderValue> {
    let of = |source| bags.of(source).and_then(|sent| sent.get("_wpnonce"));
    let form = if method == Method::POST {
        of(Source::Form)
    } else {
        None
    };
    let value = form.or_else(|| of(Source::Query))?;
    let text = value.as_text().filter(|text| !text.is_empty());
    Some(
        text.and_then(|text| HeaderValue::from_bytes(text).ok())
            .unwrap_or(HeaderValue::from_static("0")),
    )
}

/// Whether a parameter of the path stands elsewhere too, with another value; a JSON null is one, which
/// WordPress refuses by its type.
pub(super) fn contradicts_path(matched: &RouteMatch, bags: &Bags) -> bool {
    let (Some(name), Some(path)) = (matched.route.path_parameter(), &matched.parameter) else {
        return false;
    };
    let same = |value: &Value| match (matched.route, value) {
        (Route::BySlug(_), Value::String(slug)) => canonical_slug(slug) == canonical_slug(path),
        (_, Value::String(id)) => is_digits(id) && canonical_id(id) == canonical_id(path),
        (Route::Item(_), Value::Number(id)) => {
            is_digits(id.as_str().as_bytes()) && canonical_id(id.as_str().as_bytes()) == canonical_id(path)
        }
        _ => false,
    };
    bags.all(name)
        .any(|(source, value)| source != Source::Path && !same(value))
}

fn is_digits(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

const NOT_UTF8: Problem = Problem::edge(EdgeError::InvalidUtf8);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{ArrayKind, Key, Number, PhpArray};

    fn contradicts(route: Route, path: &str, sent: Value) -> bool {
        let matched = RouteMatch {
            route,
            parameter: Some(path.as_bytes().to_vec()),
        };
        let mut members = PhpArray::new(ArrayKind::Map);
        let name = route.path_parameter().expect("it has one");
        members.insert(Key::Text(name.as_bytes().to_vec()), sent);
        let mut bags = Bags::default();
        bags.add(Source::Json, members);
        contradicts_path(&matched, &bags)
    }

    #[test]
    fn a_repeated_path_parameter_must_say_the_same() {
        let item = Route::Item(Kind::Event);
        let slug = Route::BySlug(Kind::Event);
        let number = |text| Value::Number(Number::from_json_text(text));
        let cases = [
            (item, "56", number("56"), false),
            (item, "56", Value::text("056"), false),
            (item, "56", Value::text("57"), true),
            (item, "56", number("56.0"), true),
            (item, "56", Value::Null, true),
            (item, "56", Value::Bool(true), true),
            (slug, "a%20b", Value::text("a b"), false),
            (slug, "gala", Value::text("other"), true),
            (slug, "gala", Value::Null, true),
        ];
        for (route, path, sent, expected) in cases {
            assert_eq!(
                contradicts(route, path, sent.clone()),
                expected,
                "{path} {sent:?}"
            );
        }
    }
}
