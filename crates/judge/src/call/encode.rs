//! The canonical request: every known parameter once, in table order, in one position.

use std::borrow::Cow;

use bytes::Bytes;
use http::Method;

use super::canonical::CanonicalRequest;
use super::canonical_route::CanonicalRoute;
use super::case::{Arrival, Case};
use super::nonce::nonce;
use super::reading::RawCall;
use super::undeclared::{LooseParameter, UndeclaredOutcome, loose};
use super::usable::usable;
use super::wordpress::is_of_type;
use crate::contract::global::{GLOBALS, Global};
use crate::contract::{Action, Argument, ArgumentStanding, Operation, Role, Treatment, read_by_backend};
use crate::policy::Policy;
use crate::problem::{OwnError, Problem};
use crate::routing::RouteMatch;
use crate::wordpress::payload::{Parameters, Source};
use crate::wordpress::value::{NotUtf8, Value, write_json, write_json_text, write_query};

/// Most queries are shorter than so many bytes.
const USUAL_QUERY: usize = 128;

/// Encodes the request of a case that may be forwarded.
///
/// # Errors
/// A form value that is not UTF-8 cannot become JSON.
pub(super) fn encode(case: &Case<'_>) -> Result<CanonicalRequest, Problem> {
    let Arrival {
        call,
        matched,
        operation,
        ..
    } = **case;
    let parameters = &case.parameters;
    let writes_body = matches!(operation.id.action, Action::Create | Action::Update);
    let loose = loose(case);
    let mut pairs = String::with_capacity(if writes_body { 0 } else { USUAL_QUERY });
    if !writes_body {
        for (name, value) in arguments(case) {
            write_query(name, &value, &mut pairs);
        }
    }
    if writes_body && case.is_refused_by_origin() {
        write_mistyped(operation, parameters, &mut pairs);
    }
    write_loose_query(&loose, writes_body, &mut pairs);
    let is_written = |name: &str| operation.argument(name.as_bytes()).is_some();
    write_globals(parameters, writes_body, is_written, &mut pairs);
    let body = if writes_body {
        let members = arguments(case).chain(body_globals(parameters, is_written));
        Some(json_body(members, &loose).map_err(|NotUtf8| Problem::Own(OwnError::INVALID_UTF8))?)
    } else {
        None
    };
    Ok(CanonicalRequest {
        root: call.target.root,
        method: method(&call.target.method, operation.id.action),
        route: route(matched),
        namespace_argument: namespace_argument(operation, parameters),
        pairs,
        body,
        nonce: nonce(call, parameters),
    })
}

/// The request for the description of a route, which a client sends with OPTIONS.
pub(super) fn encode_options(
    call: &RawCall<'_>,
    matched: &RouteMatch,
    parameters: &Parameters,
) -> CanonicalRequest {
    let mut pairs = String::new();
    write_globals(parameters, false, |_| false, &mut pairs);
    CanonicalRequest {
        root: call.target.root,
        method: Method::OPTIONS,
        route: route(matched),
        namespace_argument: None,
        pairs,
        body: None,
        nonce: nonce(call, parameters),
    }
}

fn method(taken: &Method, action: Action) -> Method {
    match action {
        Action::Describe | Action::List | Action::Read if taken == Method::HEAD => Method::HEAD,
        Action::Describe | Action::List | Action::Read => Method::GET,
        Action::Create | Action::Update => Method::POST,
        Action::Delete => Method::DELETE,
    }
}

fn route(matched: &RouteMatch) -> CanonicalRoute {
    CanonicalRoute::new(matched.route, matched.parameter.as_deref())
}

/// The argument that names the namespace, if it was sent. The backend writes its value.
fn namespace_argument(operation: &Operation, parameters: &Parameters) -> Option<&'static str> {
    let mut arguments = operation.arguments.iter();
    arguments
        .find(|argument| argument.role == Role::Namespace && parameters.get(argument.name).is_some())
        .map(|argument| argument.name)
}

/// The values to forward, in table order: first declared arguments, then undeclared parameters that the backend reads.
fn arguments<'a>(case: &'a Case<'_>) -> impl Iterator<Item = (&'a str, Cow<'a, Value>)> {
    let (operation, parameters, policy) = (case.operation, &case.parameters, case.policy);
    let in_path = operation.id.route.path_parameter();
    let in_force = case.in_force();
    let declared = operation.arguments.iter().enumerate();
    let declared = declared.filter(move |(position, argument)| {
        Some(argument.name) != in_path
            && argument.role != Role::Namespace
            && in_force.standing(*position) != ArgumentStanding::Dropped
    });
    let declared = declared.filter_map(move |(_, argument)| {
        Some((argument.name, argument_value(argument, parameters, policy)?))
    });
    let undeclared = read_by_backend(operation.id).iter().copied();
    let undeclared = undeclared.filter_map(|name| {
        parameters
            .get(name)
            .map(|(_, value)| (name, Cow::Borrowed(value)))
    });
    declared.chain(undeclared)
}

fn argument_value<'a>(
    argument: &Argument,
    parameters: &'a Parameters,
    policy: &Policy,
) -> Option<Cow<'a, Value>> {
    let Some((_, value)) = parameters.get(argument.name) else {
        // Some handlers treat a JSON null as a value.
        return parameters.of(Source::Json)?.get(argument.name).map(Cow::Borrowed);
    };
    let created = argument.rule.creates().filter(|_| policy.repair);
    let usable = created.and_then(|kind| usable(kind, value));
    Some(usable.map_or(Cow::Borrowed(value), Cow::Owned))
}

/// Writes the values of the query that the body outweighs and that are of another type: the site refuses the call for
/// them, in words that name them.
fn write_mistyped(operation: &Operation, parameters: &Parameters, query: &mut String) {
    let Some(sent) = parameters.of(Source::Query) else {
        return;
    };
    for argument in &operation.arguments {
        let is_outweighed = parameters
            .get(argument.name)
            .is_some_and(|(source, _)| source != Source::Query);
        if let (true, Some(schema), Some(value)) = (is_outweighed, argument.schema, sent.get(argument.name))
            && !is_of_type(schema, value)
        {
            write_query(argument.name, value, query);
        }
    }
}

/// Writes the undeclared parameters that belong into the query: those of the query, and on calls without a body all
/// of them. Of a name that came twice the value counts that WordPress would read.
fn write_loose_query(loose: &[LooseParameter<'_>], writes_body: bool, query: &mut String) {
    for (at, sent) in loose.iter().enumerate() {
        let mut stronger = loose.iter().take(at);
        let is_here = if writes_body {
            sent.source == Source::Query
        } else {
            !stronger.any(|known| known.name == sent.name && *known.value != Value::Null)
        };
        if let Some(name) = sent.query_name().filter(|_| is_here) {
            write_query(&name, sent.value, query);
        }
    }
}

/// Writes the global parameters of the query, except those that are already written.
fn write_globals(
    parameters: &Parameters,
    writes_body: bool,
    is_written: impl Fn(&str) -> bool,
    query: &mut String,
) {
    let in_query = |name| parameters.of(Source::Query).and_then(|sent| sent.get(name));
    for global in GLOBALS {
        let value = match global.treatment {
            Treatment::Forward if !writes_body => parameters.get(global.name).map(|(_, value)| value),
            Treatment::Forward
            | Treatment::ForwardInPlace
            | Treatment::ForwardFromQuery
            | Treatment::RefuseUnlessAllowed => in_query(global.name),
            Treatment::Nonce | Treatment::Route | Treatment::Method => None,
        };
        if let Some(value) = value
            && !is_written(global.name)
        {
            write_query(global.name, value, query);
        }
    }
}

/// The global parameters of a body that stay in it, nulls included.
fn body_globals(
    parameters: &Parameters,
    is_written: impl Fn(&str) -> bool,
) -> impl Iterator<Item = (&str, Cow<'_, Value>)> {
    let stay = |global: &&Global| matches!(global.treatment, Treatment::Forward | Treatment::ForwardInPlace);
    let stay = GLOBALS.iter().filter(stay).map(|global| global.name);
    stay.filter(move |name| !is_written(name)).filter_map(|name| {
        let mut bodies = [Source::Json, Source::Form].into_iter();
        let value = bodies.find_map(|source| parameters.of(source)?.get(name))?;
        Some((name, Cow::Borrowed(value)))
    })
}

fn json_body<'a>(
    members: impl Iterator<Item = (&'a str, Cow<'a, Value>)>,
    loose: &[LooseParameter<'_>],
) -> Result<Bytes, NotUtf8> {
    let mut json = vec![b'{'];
    for (name, value) in members {
        write_member(name.as_bytes(), &value, &mut json)?;
    }
    for sent in loose.iter().filter(|sent| sent.source != Source::Query) {
        let end = json.len();
        match (
            write_member(&sent.name.to_bytes(), sent.value, &mut json),
            sent.fate,
        ) {
            (Ok(()), _) => {}
            // No site declares it, so what cannot become JSON is dropped.
            (Err(NotUtf8), UndeclaredOutcome::ByRule(_)) => json.truncate(end),
            (Err(error), UndeclaredOutcome::Listed | UndeclaredOutcome::Published) => return Err(error),
        }
    }
    json.push(b'}');
    Ok(Bytes::from(json))
}

fn write_member(name: &[u8], value: &Value, json: &mut Vec<u8>) -> Result<(), NotUtf8> {
    if json.len() > 1 {
        json.push(b',');
    }
    write_json_text(name, json)?;
    json.push(b':');
    write_json(value, json)
}
