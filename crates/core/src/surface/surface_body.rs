//! The parts of a body to the rest of the site that add to its head: a route, variables of a page, or calls.

use bytes::Bytes;
use memchr::memmem;

use super::surface_request::SurfaceRequest;
use super::surface_rules::SurfaceRules;
use super::surface_verdict::{SurfaceVerdict, strictest};
use crate::limits::rates::CostClass;
use calendar_edge_judge::routing::Roots;
use calendar_edge_judge::wordpress::payload::{FormScanner, MethodScan, SiteForm};

/// A body, as far as it was read.
#[derive(Debug, Clone)]
pub enum SeenBody {
    /// All of it.
    Whole(Bytes),
    /// Its beginning.
    Begun(Bytes),
}

/// The rule that takes a request by its body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BodyVerdict<'a> {
    /// The verdict; none if no rule takes it.
    pub verdict: Option<SurfaceVerdict<'a>>,
    /// True if rules depend on a part of the body that cannot be read, and none of them refuses it for that.
    pub is_unclear: bool,
}

// === impl SurfaceRules ===

impl SurfaceRules {
    /// The verdict about a request by its body. A form that is only begun is scanned for routes on its way.
    pub fn judge_body(
        &self,
        roots: &Roots,
        request: &SurfaceRequest<'_>,
        body: &SeenBody,
    ) -> BodyVerdict<'_> {
        let by_calls = self.read_calls(request).then(|| self.by_calls(request, body));
        match by_calls {
            Some(by_calls) if request.readings().count() == 1 => by_calls,
            // To another server the call is a form.
            Some(by_calls) => {
                let by_form = self.by_body(roots, request, body);
                BodyVerdict {
                    verdict: strictest(by_calls.verdict.into_iter().chain(by_form.verdict)),
                    ..by_form
                }
            }
            None => self.by_body(roots, request, body),
        }
    }

    fn by_body(&self, roots: &Roots, request: &SurfaceRequest<'_>, body: &SeenBody) -> BodyVerdict<'_> {
        match (body, request.form()) {
            (SeenBody::Whole(form), SiteForm::Urlencoded | SiteForm::Multipart { .. }) => {
                self.by_form(roots, request, form)
            }
            (SeenBody::Begun(_), _) if self.read_forms(request) => self.unclear(request),
            _ => BodyVerdict::default(),
        }
    }

    /// The cost of a call to the plugin's second API that a whole form names and the head does not; none for other
    /// requests.
    pub fn cost_of_form(
        &self,
        roots: &Roots,
        request: &SurfaceRequest<'_>,
        body: &SeenBody,
    ) -> Option<CostClass> {
        let SeenBody::Whole(form) = body else {
            return None;
        };
        if self.cost(request).is_some() {
            return None;
        }
        let named = routes(request, form)?;
        named
            .iter()
            .find_map(|route| self.cost(&request.with_route(roots, route)))
    }

    fn unclear(&self, request: &SurfaceRequest<'_>) -> BodyVerdict<'_> {
        let verdict = self.judge_unclear(request);
        BodyVerdict {
            is_unclear: verdict.is_none(),
            verdict,
        }
    }

    /// A call that is only begun is scanned for further methods on its way.
    fn by_calls(&self, request: &SurfaceRequest<'_>, body: &SeenBody) -> BodyVerdict<'_> {
        let (SeenBody::Whole(call) | SeenBody::Begun(call)) = body;
        BodyVerdict {
            verdict: self.judge_calls(request, &MethodScan::whole(call)),
            is_unclear: false,
        }
    }

    fn by_form(&self, roots: &Roots, request: &SurfaceRequest<'_>, form: &Bytes) -> BodyVerdict<'_> {
        let Some(routes) = routes(request, form) else {
            return self.unclear(request);
        };
        let is_variable = routes.is_empty() && self.read_forms(request);
        let variables = is_variable.then(|| request.form().fields(form)).flatten();
        let by_variables = variables.as_ref().and_then(|form| self.judge_form(request, form));
        let named = routes
            .iter()
            .filter_map(|route| self.judge(&request.with_route(roots, route)));
        let verdict = strictest(named.chain(by_variables));
        match verdict {
            None if is_variable && variables.is_none() => self.unclear(request),
            verdict => BodyVerdict {
                verdict,
                is_unclear: false,
            },
        }
    }
}

/// The routes that a whole form names; none if it cannot be read.
fn routes(request: &SurfaceRequest<'_>, form: &Bytes) -> Option<Vec<Vec<u8>>> {
    let may_name_one = form.contains(&b'%') || memmem::find(form, b"rest").is_some();
    match FormScanner::new(request.form()).filter(|_| may_name_one) {
        Some(scanner) => scanner.routes(form.clone()).ok(),
        None => Some(Vec::new()),
    }
}
