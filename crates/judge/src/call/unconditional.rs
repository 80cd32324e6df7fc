//! Rules that hold in every mode: contradictions, values that crash PHP, fetches, other namespaces.

use super::canonical_route::canonical_id;
use super::case::Case;
use super::fatal_values::fatal_argument;
use super::foreign_image::is_fetched_elsewhere;
use crate::contract::{Argument, Role, Route};
use crate::policy::Mode;
use crate::problem::{Fault, InvalidParameter, OwnError, Problem};
use crate::routing::{RouteMatch, canonical_slug};
use crate::wordpress::payload::{Parameters, Source};
use crate::wordpress::value::Value;

/// Objects to a parameter of the path that is repeated with another value.
pub(super) fn contradicting_path(case: &Case<'_>) -> Option<Problem> {
    contradicts_path(case.matched, &case.parameters).then_some(Problem::Own(OwnError::PATH_CONTRADICTION))
}

/// Objects to a value that would end PHP with a fatal error.
pub(super) fn fatal_value(case: &Case<'_>) -> Option<Problem> {
    fatal_argument(case).map(invalid)
}

/// Objects to an image that the site would fetch from a host that is not listed. The rule also applies if the origin is
/// to word the refusal. In modes `report` and `off` it does not apply: the site judges such a call, as it judges all
/// others.
pub(super) fn foreign_image(case: &Case<'_>) -> Option<Problem> {
    if case.mode != Mode::Enforce {
        return None;
    }
    let may_fetch = |argument: &&Argument| argument.rule.is_image() || argument.rule.creates().is_some();
    let is_foreign = |argument: &&Argument| {
        let winner = case.parameters.get(argument.name);
        winner.is_some_and(|(_, value)| is_fetched_elsewhere(&case.policy.image_hosts, argument.rule, value))
    };
    let mut arguments = case.operation.arguments.iter().filter(may_fetch);
    arguments.find(is_foreign).map(|argument| invalid(argument.name))
}

/// Objects to a namespace that the edge does not serve.
pub(super) fn private_namespace(case: &Case<'_>) -> Option<Problem> {
    let arguments = case.operation.arguments.iter();
    let mut naming = arguments.filter(|argument| argument.role == Role::Namespace);
    let found = naming.any(|argument| {
        let sent = case.parameters.get(argument.name);
        sent.is_some_and(|(_, name)| !case.policy.is_public(name))
    });
    found.then_some(Problem::InvalidNamespace)
}

fn invalid(name: &'static str) -> Problem {
    let fault = Fault::Invalid;
    Problem::Invalid(vec![InvalidParameter { name, fault }])
}

/// Returns true if a parameter of the path is sent elsewhere too, with another value. A JSON null is another
/// value, which WordPress refuses because of its type.
fn contradicts_path(matched: &RouteMatch, parameters: &Parameters) -> bool {
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
    parameters
        .all(name)
        .any(|(source, value)| source != Source::Path && !same(value))
}

fn is_digits(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Kind;
    use crate::wordpress::value::{Key, Number, PhpArray};

    fn contradicts(route: Route, path: &str, sent: Value) -> bool {
        let matched = RouteMatch {
            route,
            parameter: Some(path.as_bytes().to_vec()),
            namespace: "tribe/events/v1".into(),
            is_calendar_file: false,
        };
        let mut members = PhpArray::from_distinct(Vec::new());
        let name = route.path_parameter().expect("it has one");
        members.insert(Key::Text(name.as_bytes().into()), sent);
        let mut parameters = Parameters::default();
        parameters.add(Source::Json, members);
        contradicts_path(&matched, &parameters)
    }

    #[test]
    fn a_repeated_path_parameter_must_have_the_same_value() {
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
