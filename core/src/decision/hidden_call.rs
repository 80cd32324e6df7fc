//! Forms to the rest of the site that name a route of the calendar API.

use http::Method;
use http::request::Parts;

use crate::payload::{
    BodyReading, ContentHeaders, PHP_VARIABLE_LIMIT, body_reading, names_rest_route, parse_form_body,
    parse_multipart,
};
use crate::problem::{Cause, Problem};
use crate::routing::{CallTarget, Roots, Target};
use crate::value::{PhpArray, Value, write_escaped};

/// A form whose `rest_route` is not a string, or whose fields PHP would read differently.
const UNREADABLE_ROUTE: Problem = Problem::because(Cause::UnreadableRouteInForm);

/// The treatment of the body of a request to the rest of the site.
#[derive(Debug)]
pub(super) enum SiteBody {
    /// It is forwarded while it comes: PHP fills no form variables from it.
    Streamed,
    /// PHP may fill its form variables from it, `rest_route` among them: it is read first.
    Form,
    /// Servers differ in how they read it.
    Ambiguous(Problem),
}

/// The way of a body to the rest of the site, by the head of its request.
pub(super) fn site_body(head: &Parts) -> SiteBody {
    let content = ContentHeaders::of(&head.headers);
    if content.repeats_type() {
        // Servers differ in which one counts, and with it in what the body says.
        return SiteBody::Ambiguous(UNREADABLE_ROUTE);
    }
    match body_reading(&head.method, content.content_type()) {
        BodyReading::Form | BodyReading::Multipart { .. } | BodyReading::Contradictory
            if head.method == Method::POST =>
        {
            SiteBody::Form
        }
        BodyReading::Form
        | BodyReading::Multipart { .. }
        | BodyReading::Contradictory
        | BodyReading::Json
        | BodyReading::Ignored => SiteBody::Streamed,
    }
}

/// The calendar route that a form names; in WordPress a form wins over query and path (backend.md section 6).
///
/// # Errors
///
/// A form that cannot be read as PHP reads it, or whose route can be read in two ways.
pub(super) fn hidden_call(roots: &Roots, head: &Parts, body: &[u8]) -> Result<Option<CallTarget>, Problem> {
    let content = ContentHeaders::of(&head.headers);
    let content_type = content.content_type();
    if !names_rest_route(&head.method, content_type, body) {
        return Ok(None);
    }
    let fields = fields(&head.method, content_type, body).ok_or(UNREADABLE_ROUTE)?;
    let Some(Value::String(route)) = fields.get("rest_route") else {
        return Err(UNREADABLE_ROUTE);
    };
    // The last pair of a name counts, so this one stands for the form's.
    let mut query = head.uri.query().unwrap_or_default().to_owned();
    query.push_str("&rest_route=");
    write_escaped(route, &mut query);
    match roots.locate(&head.method, head.uri.path(), Some(&query)) {
        Target::Calendar(target) => Ok(Some(target)),
        Target::Site { .. } => Ok(None),
        Target::Invalid(problem) => Err(problem),
    }
}

fn fields(method: &Method, content_type: Option<&[u8]>, body: &[u8]) -> Option<PhpArray> {
    match body_reading(method, content_type) {
        BodyReading::Form => parse_form_body(body).ok(),
        BodyReading::Multipart {
            boundary: Some(boundary),
        } => parse_multipart(body, boundary, PHP_VARIABLE_LIMIT).ok(),
        BodyReading::Multipart { boundary: None }
        | BodyReading::Json
        | BodyReading::Ignored
        | BodyReading::Contradictory => None,
    }
}
