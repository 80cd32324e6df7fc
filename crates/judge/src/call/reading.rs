//! Reads a raw call into its parameters. This is the only file that reads a body.

use std::sync::Arc;

use http::Method;

use crate::call::credentials::Credentials;
use crate::contract::global::PUBLIC_QUERY_VARIABLES;
use crate::problem::{OwnError, Problem};
use crate::routing::{CallTarget, RouteMatch};
use crate::wordpress::payload::{
    BodyReading, ContentHeaders, FormFault, Parameters, Source, body_reading, is_php_form, pair_count,
    parse_form_body, parse_json, parse_multipart,
};
use crate::wordpress::value::{Key, PhpArray, Value};

/// Maximum number of fields of a form body (400).
const MOST_FORM_FIELDS: usize = 500;

/// Maximum nesting of a JSON body (400 `rest_invalid_json` code 1).
const JSON_DEPTH: usize = 128;

/// A request for a target of the calendar API, before any judgement.
#[derive(Debug, Clone, Copy)]
pub struct RawCall<'a> {
    /// The method on the wire, by which PHP reads the body. The target has the one that WordPress takes.
    pub method: &'a Method,
    /// The result of routing the target.
    pub target: &'a CallTarget,
    /// The credentials of the sender; the forwarded call carries the same ones.
    pub credentials: &'a Credentials,
    /// The headers that describe the body.
    pub content: ContentHeaders<'a>,
    /// The whole body; ignored on GET and HEAD.
    pub body: &'a [u8],
}

// === impl RawCall ===

impl RawCall<'_> {
    /// Returns true if PHP fills its form variables from the body.
    pub(super) fn is_php_form(&self) -> bool {
        is_php_form(self.method, self.content.content_type())
    }
}

/// Reads path, query and body into parameters, strongest first.
///
/// # Errors
/// The reason why the body cannot be read, or can be read in two ways.
pub(super) fn read_parameters(call: &RawCall<'_>, matched: &RouteMatch) -> Result<Parameters, Problem> {
    let mut parameters = Parameters::default();
    parameters.add(Source::Path, path_parameters(matched));
    parameters.add(Source::Query, Arc::clone(&call.target.query));
    // An empty body is empty in every format, so the content type does not matter.
    if matches!(*call.method, Method::GET | Method::HEAD) || call.body.is_empty() {
        return Ok(parameters);
    }
    match body_reading(call.method, &call.target.method, call.content.content_type()) {
        BodyReading::Json => add_json(call.body, &mut parameters)?,
        BodyReading::Form => add_form(call, &mut parameters)?,
        BodyReading::Multipart {
            boundary: Some(boundary),
        } => {
            let fields = parse_multipart(call.body, boundary, MOST_FORM_FIELDS).map_err(unreadable_form)?;
            add_fields(call, fields, &mut parameters)?;
        }
        BodyReading::Multipart { boundary: None } | BodyReading::Ignored => {}
        BodyReading::Contradictory => return Err(Problem::Own(OwnError::TWO_BODY_READINGS)),
    }
    Ok(parameters)
}

fn path_parameters(matched: &RouteMatch) -> PhpArray {
    let mut sent = PhpArray::from_distinct(Vec::new());
    if let (Some(name), Some(value)) = (matched.route.path_parameter(), &matched.parameter) {
        sent.insert(Key::Text(name.as_bytes().into()), Value::text(value.as_slice()));
    }
    sent
}

fn add_json(body: &[u8], parameters: &mut Parameters) -> Result<(), Problem> {
    // PHP calls these two bodies empty, and WordPress takes them for no body.
    if body.is_empty() || body == b"0" {
        return Ok(());
    }
    if let Value::Array(members) = parse_json(body, JSON_DEPTH)? {
        parameters.add(Source::Json, members);
    }
    Ok(())
}

fn add_form(call: &RawCall<'_>, parameters: &mut Parameters) -> Result<(), Problem> {
    if pair_count(call.body) > MOST_FORM_FIELDS {
        return Err(Problem::Own(OwnError::TOO_MANY_FORM_FIELDS));
    }
    let fields = parse_form_body(call.body).map_err(unreadable_form)?;
    add_fields(call, fields, parameters)
}

fn add_fields(call: &RawCall<'_>, fields: PhpArray, parameters: &mut Parameters) -> Result<(), Problem> {
    if call.is_php_form() {
        refuse_mismatch(&call.target.query, &fields)?;
        // The path has been matched. A form may only repeat the `rest_route` of the query, in the same
        // spelling.
        if fields.get("rest_route").is_some()
            && fields.get("rest_route") != call.target.query.get("rest_route")
        {
            return Err(Problem::Own(OwnError::ROUTE_IN_FORM));
        }
    }
    parameters.add(Source::Form, fields);
    Ok(())
}

fn refuse_mismatch(query: &PhpArray, fields: &PhpArray) -> Result<(), Problem> {
    let differs = |name: &str| matches!((query.get(name), fields.get(name)), (Some(a), Some(b)) if a != b);
    if PUBLIC_QUERY_VARIABLES.iter().any(|name| differs(name)) {
        Err(Problem::Own(OwnError::VARIABLE_MISMATCH))
    } else {
        Ok(())
    }
}

fn unreadable_form(fault: FormFault) -> Problem {
    Problem::Own(match fault {
        FormFault::TooManyParts | FormFault::TooManyElements => OwnError::TOO_MANY_FORM_FIELDS,
        FormFault::Boundary | FormFault::Unterminated | FormFault::Headers | FormFault::UnreadableRoute => {
            OwnError::UNREADABLE_BODY
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wordpress::payload::{ELEMENT_LIMIT, parse_form};

    #[test]
    fn names_the_limit_of_elements_as_the_cause() {
        let list = format!("[{}0]", "0,".repeat(ELEMENT_LIMIT));
        let said = add_json(list.as_bytes(), &mut Parameters::default());
        assert_eq!(said, Err(Problem::Own(OwnError::TOO_MANY_JSON_ELEMENTS)));
    }

    /// Measured at a live site: the check covers the site's own variables and the plugin's, at any position
    /// and with any meaning.
    #[test]
    fn refuses_two_values_of_one_public_variable_only() {
        let cases = [
            ("name=a", "name=b", true),
            ("start_date=2027-01-01", "start_date=2027-02-01", true),
            ("end.date=a", "end_date=b", true),
            ("featured=1", "featured[]=1", true),
            ("eventDate=a", "eventDate=b", true),
            ("post_format=a", "post_format=b", true),
            ("start_date=a", "start_date=a", false),
            ("start_date=a", "end_date=b", false),
            ("tribe_venue=1", "tribe_venue=2", false),
            ("title=a", "title=b", false),
        ];
        for (query, form, refused) in cases {
            let said = refuse_mismatch(&parse_form(query.as_bytes()), &parse_form(form.as_bytes()));
            assert_eq!(
                said == Err(Problem::Own(OwnError::VARIABLE_MISMATCH)),
                refused,
                "{query} {form}"
            );
        }
    }
}
