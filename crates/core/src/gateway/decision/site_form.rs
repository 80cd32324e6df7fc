//! Forms to the rest of the site: which may pass, and which are calls of the calendar API.

use std::sync::Arc;

use bytes::Bytes;
use http::request::Parts;

use crate::errors;
use calendar_edge_judge::problem::{OwnError, Problem};
use calendar_edge_judge::routing::{CallTarget, Named, Roots, Target};
use calendar_edge_judge::wordpress::payload::{
    ContentHeaders, FormFault, FormScanner, Scanned, SentMethod, SiteForm,
};
use calendar_edge_judge::wordpress::value::write_escaped;

/// A form of at most so many bytes is read whole: if it names a route of the calendar, it is judged as its call.
/// A larger one is scanned while it passes, and must not name one.
pub const WHOLE_FORM_BYTES: usize = 64 * 1024;

/// Scans one form on its way to the rest of the site.
#[derive(Debug)]
pub struct SiteFormScan {
    roots: Arc<Roots>,
    scanner: FormScanner,
}

/// The scan of a body on its way to the rest of the site, by the head of its request; none if PHP fills no form variables
/// from it, so that it is forwarded while it comes.
///
/// # Errors
/// Servers differ in how they read it.
pub(super) fn site_form(roots: &Arc<Roots>, head: &Parts) -> Result<Option<SiteFormScan>, Problem> {
    let form = SiteForm::of(&head.method, ContentHeaders::of(&head.headers));
    if form == SiteForm::Ambiguous {
        return Err(Problem::Own(errors::UNREADABLE_FORM));
    }
    Ok(FormScanner::new(form).map(|scanner| SiteFormScan {
        roots: Arc::clone(roots),
        scanner,
    }))
}

// === impl SiteFormScan ===

impl SiteFormScan {
    /// Takes the next bytes, and returns those that may go on, with the other routes that they name.
    ///
    /// # Errors
    /// A form that PHP could read in another way, or that names a route of the calendar. Nothing that was not
    /// returned before may go on.
    pub fn push(&mut self, piece: Bytes) -> Result<Scanned, &'static OwnError> {
        let scanned = self.scanner.push(piece).map_err(cause)?;
        self.harmless(scanned)
    }

    /// Takes the end of the form, and returns the last bytes, with the other routes that they name.
    ///
    /// # Errors
    /// As [`push`](Self::push); and a form that ends early.
    pub fn finish(&mut self) -> Result<Scanned, &'static OwnError> {
        let scanned = self.scanner.finish().map_err(cause)?;
        self.harmless(scanned)
    }

    fn harmless(&self, scanned: Scanned) -> Result<Scanned, &'static OwnError> {
        for route in &scanned.routes {
            match self.roots.named(route) {
                Named::Elsewhere => {}
                Named::Calendar => return Err(errors::ROUTE_IN_LARGE_FORM),
                Named::Doubtful => return Err(errors::UNREADABLE_ROUTE_IN_FORM),
            }
        }
        Ok(scanned)
    }

    /// The calendar route that a whole form names; in WordPress a form wins over query and path (backend.md
    /// section 6), and the last of several routes over the others.
    pub(super) fn hidden_call(self, head: &Parts, form: Bytes) -> Result<Option<CallTarget>, Problem> {
        let roots = Arc::clone(&self.roots);
        let is_large = form.len() > WHOLE_FORM_BYTES;
        let routes = self
            .scanner
            .routes(form)
            .map_err(|fault| Problem::Own(cause(fault)))?;
        let named: Vec<Named> = routes.iter().map(|route| roots.named(route)).collect();
        match (named.last(), routes.last()) {
            _ if named.iter().all(|named| *named == Named::Elsewhere) => Ok(None),
            (Some(Named::Calendar), Some(_)) if is_large => Err(Problem::Own(errors::ROUTE_IN_LARGE_FORM)),
            (Some(Named::Calendar), Some(route)) => call(&roots, head, route).map(Some),
            // The number of variables that a site reads is a setting of its own, so another one may be its last.
            _ => Err(UNREADABLE_ROUTE),
        }
    }
}

/// The call of a form with this route.
fn call(roots: &Roots, head: &Parts, route: &[u8]) -> Result<CallTarget, Problem> {
    // The last pair of a name counts, so this one stands for the form's.
    let mut query = head.uri.query().unwrap_or_default().to_owned();
    query.push_str("&rest_route=");
    write_escaped(route, &mut query);
    match roots.locate(SentMethod::of(head), head.uri.path(), Some(&query)) {
        Target::Calendar(target) => Ok(target),
        Target::Site { .. } => Err(UNREADABLE_ROUTE),
        Target::Invalid(problem) => Err(problem),
    }
}

const fn cause(fault: FormFault) -> &'static OwnError {
    match fault {
        FormFault::UnreadableRoute => errors::UNREADABLE_ROUTE_IN_FORM,
        FormFault::Boundary
        | FormFault::Unterminated
        | FormFault::Headers
        | FormFault::TooManyParts
        | FormFault::TooManyElements => errors::UNREADABLE_FORM,
    }
}

/// A form whose route is not a plain text, or not the same one under all settings of PHP.
const UNREADABLE_ROUTE: Problem = Problem::Own(errors::UNREADABLE_ROUTE_IN_FORM);
