//! The decision about one request, in two steps: by its head, then by its body.

use std::sync::Arc;

use bytes::Bytes;
use http::Method;
use http::header::EXPECT;
use http::request::Parts;

use super::on_head::{OnHead, ReadHead};
use super::opened_call::{BodyRule, OpenedCall, ReadableCall};
use super::request_head::RequestHead;
use super::site_form::{SiteFormScan, site_form};
use crate::errors;
use crate::limits::rates::{Client, CostClass};
use crate::relay::cors::Preflight;
use crate::settings::{Mode, OtherTraffic, Profile, Settings};
use crate::surface::{SeenBody, SurfaceRules};
use calendar_edge_judge::call::credentials::Credentials;
use calendar_edge_judge::call::{BodyNeed, Explanation, Judgement, Outcome};
use calendar_edge_judge::contract::{Action, OperationId, Route, TablesInForce, strict};
use calendar_edge_judge::problem::{Problem, Refusal};
use calendar_edge_judge::routing::{CallTarget, Roots, Target};
use calendar_edge_judge::wordpress::payload::SentMethod;

/// Decides about requests by one set of settings. Pure: the same request gets the same decision.
///
/// Other requests are not considered: rate limits, capacity and the state of the site are the gateway's.
#[derive(Debug)]
pub struct Decider {
    pub(super) on_head: OnHead,
    pub(super) roots: Arc<Roots>,
    /// The rules about the rest of the site.
    pub surface: SurfaceRules,
    other: OtherTraffic,
    body_bytes: u64,
    /// True if every client may read the `OpenAPI` document, which describes the same as `doc` and goes with it.
    offers_openapi: bool,
    /// True if the strict profile compares the hosts of some calls.
    pub(super) reads_hosts: bool,
}

/// The path of the `OpenAPI` document below the namespace.
const OPENAPI: &str = "/openapi.json";

/// The operation beside it, whose `allow` counts for both.
const DOC: OperationId = OperationId {
    route: Route::Doc,
    action: Action::Describe,
};

/// The destination of a request, by its head.
#[derive(Debug)]
pub enum Opening {
    /// A browser's preflight for the calendar API: the edge responds to it.
    Preflight,
    /// The index of a REST root, by its position in the settings. The edge sends it where it serves no other routes.
    RestIndex(usize),
    /// The `OpenAPI` document of the calendar below a REST root. The edge sends it.
    OpenApi(usize),
    /// The rest of the site. Its body is forwarded while it comes; a form that may name a route of the calendar API is
    /// scanned.
    Site(Option<SiteFormScan>),
    /// The rest of the site, with a head that servers read in two ways.
    Ambiguous(Refusal),
    /// The calendar API, or nowhere.
    Call(Box<OpenedCall>),
}

/// The decision about a whole request.
#[derive(Debug)]
pub enum Decision {
    /// The edge responds to a browser's preflight.
    Preflight,
    /// The edge sends an index of the REST root at this position of the settings.
    RestIndex(usize),
    /// The edge sends the `OpenAPI` document of the REST root at this position.
    OpenApi(usize),
    /// It is forwarded to the rest of the site as it is.
    Site,
    /// The edge refuses it before anything is judged.
    Refuse(Refusal),
    /// It is judged as a call: forwarded in canonical form, or refused.
    Judged(Box<Judgement>),
}

// === impl Decider ===

impl Decider {
    /// The decider of these settings, before sites of which nothing is known.
    pub fn new(settings: &Settings) -> Self {
        Self::before(settings, TablesInForce::default())
    }

    /// The decider of these settings, before sites that publish these tables.
    pub fn before(settings: &Settings, tables: TablesInForce) -> Self {
        Self {
            surface: SurfaceRules::new(settings),
            on_head: OnHead::new(settings, tables),
            roots: Arc::new(Roots::new(&settings.policy())),
            other: settings.other,
            body_bytes: settings.limits.body_bytes,
            offers_openapi: settings.allows(DOC),
            reads_hosts: settings.policy().is_strict_anywhere(),
        }
    }

    /// The whole decision about a request whose head passed the [`HeadRules`](super::HeadRules).
    pub fn decide(&self, head: &RequestHead<'_>, body: &[u8]) -> Decision {
        let opened = match self.open(head) {
            Opening::Preflight => return Decision::Preflight,
            Opening::RestIndex(root) => return Decision::RestIndex(root),
            Opening::OpenApi(root) => return Decision::OpenApi(root),
            Opening::Site(None) => return self.decide_site(head, &[]),
            Opening::Ambiguous(refusal) => return Decision::Refuse(refusal),
            Opening::Site(Some(scan)) => match self.open_form(head, scan, Bytes::copy_from_slice(body)) {
                Ok(None) => return self.decide_site(head, body),
                Ok(Some(opened)) => opened,
                Err(problem) => return Decision::Refuse(Refusal::plain(problem)),
            },
            Opening::Call(opened) => *opened,
        };
        match opened.next() {
            Ok(call) => match call.taken(body) {
                Ok(body) => Decision::Judged(Box::new(self.judge(head, &opened, call, body))),
                Err(error) => Decision::Refuse(error.refusal()),
            },
            Err(refusal) => Decision::Refuse(refusal.clone()),
        }
    }

    fn decide_site(&self, head: &RequestHead<'_>, form: &[u8]) -> Decision {
        let request = self.surface_request(head.parts);
        let call = request.and_then(|request| {
            let form = || SeenBody::Whole(Bytes::copy_from_slice(form));
            let by_form = || self.second_call_of_form(head.parts, &request, &form());
            self.second_call(head.parts, &request).or_else(by_form)
        });
        let refusal = call.and_then(|call| call.refusal);
        refusal.map_or(Decision::Site, Decision::Refuse)
    }

    /// The destination of a request.
    pub fn open(&self, head: &RequestHead<'_>) -> Opening {
        let Parts {
            method, uri, headers, ..
        } = head.parts;
        let target = self
            .roots
            .locate(SentMethod::of(head.parts), uri.path(), uri.query());
        if matches!(target, Target::Site { .. }) && self.other == OtherTraffic::Forward {
            return match site_form(&self.roots, head.parts) {
                Ok(scan) => Opening::Site(scan),
                Err(problem) => Opening::Ambiguous(Refusal::plain(problem)),
            };
        }
        let is_readable = !matches!(target, Target::Invalid(_));
        if is_readable && Preflight::of(method, headers).is_some() {
            return Opening::Preflight;
        }
        let is_read = matches!(*method, Method::GET | Method::HEAD);
        if matches!(target, Target::Site { .. })
            && is_read
            && let Some(root) = self.roots.index_of(uri.path(), uri.query().unwrap_or_default())
        {
            return Opening::RestIndex(root);
        }
        if is_read && let Some(root) = self.openapi_of(uri.path(), &target) {
            return Opening::OpenApi(root);
        }
        Opening::Call(Box::new(self.opened(head, target)))
    }

    /// The root whose `OpenAPI` document a path names: `openapi.json` below the API's own root.
    fn openapi_of(&self, path: &str, target: &Target) -> Option<usize> {
        let unknown = target.call();
        let unknown = unknown.filter(|target| self.offers_openapi && target.matched.is_none())?;
        let index = self.roots.locate(&Method::GET, path.strip_suffix(OPENAPI)?, None);
        let found = index.call()?.matched.as_ref()?;
        (found.route == Route::Index).then_some(unknown.root)
    }

    /// Returns true if the name of the calendar at the site decides where a request leads: below a REST root, or in a
    /// form that may name a route.
    pub fn depends_on_namespace(&self, head: &RequestHead<'_>) -> bool {
        let uri = &head.parts.uri;
        match self.open(head) {
            Opening::Preflight | Opening::Ambiguous(_) => false,
            Opening::Site(Some(_)) => true,
            Opening::RestIndex(_) | Opening::OpenApi(_) | Opening::Site(None) | Opening::Call(_) => {
                self.roots.is_rest(uri.path(), uri.query().unwrap_or_default())
            }
        }
    }

    /// The calendar call that a whole form to the rest of the site names, if it names one.
    ///
    /// # Errors
    ///
    /// A form that PHP could read in another way, or that names a route and has more than
    /// [`WHOLE_FORM_BYTES`](super::WHOLE_FORM_BYTES).
    pub fn open_form(
        &self,
        head: &RequestHead<'_>,
        scan: SiteFormScan,
        form: Bytes,
    ) -> Result<Option<OpenedCall>, Problem> {
        let target = scan.hidden_call(head.parts, form)?;
        Ok(target.map(|target| self.opened(head, Target::Calendar(target))))
    }

    /// Judges a call that its head does not refuse; `body` is empty where [`BodyRule`] drops it, and none where
    /// [`BodyRule::Brief`] or [`BodyRule::Leave`] leaves it unread.
    pub fn judge(
        &self,
        head: &RequestHead<'_>,
        opened: &OpenedCall,
        call: &ReadableCall,
        body: Option<&[u8]>,
    ) -> Judgement {
        let Some(body) = body else {
            return self.on_head.judge.judge_unread(&call.raw(head, &[]));
        };
        let mut judgement = self.on_head.judge.judge(&call.raw(head, body));
        let client = Client::new(head.client, &opened.identity);
        let is_write = matches!(&judgement.outcome, Outcome::Forward(call) if call.is_write());
        if is_write && !self.on_head.writers.include(client) {
            let refusal = errors::WRITER_DENIED.refusal();
            judgement.insists =
                (judgement.mode != Mode::Enforce).then(|| refusal.problem().held_in_every_mode());
            judgement.outcome = Outcome::Refuse(refusal);
        }
        judgement
    }

    /// The place of a request in the calendar API, whether or not it is refused; none for a request that leads
    /// elsewhere.
    pub fn target_of(&self, head: &RequestHead<'_>, body: &[u8]) -> Option<CallTarget> {
        let uri = &head.parts.uri;
        match self
            .roots
            .locate(SentMethod::of(head.parts), uri.path(), uri.query())
        {
            Target::Calendar(target) => Some(target),
            Target::Site { .. } => match self.open(head) {
                Opening::Site(Some(scan)) => {
                    let form = Bytes::copy_from_slice(body);
                    scan.hidden_call(head.parts, form).ok().flatten()
                }
                _ => None,
            },
            Target::Invalid(_) => None,
        }
    }

    /// Reads the arguments of a call and passes them to `show`; none of a call that is unreadable or that leads to no
    /// operation.
    pub fn explain(&self, head: &RequestHead<'_>, body: &[u8], show: impl FnOnce(Explanation<'_>)) {
        let opened = match self.open(head) {
            Opening::Call(opened) => Some(*opened),
            Opening::Site(Some(scan)) => {
                let form = self.open_form(head, scan, Bytes::copy_from_slice(body));
                form.ok().flatten()
            }
            Opening::Preflight
            | Opening::RestIndex(_)
            | Opening::OpenApi(_)
            | Opening::Site(None)
            | Opening::Ambiguous(_) => None,
        };
        if let Some(opened) = opened
            && let Ok(call) = opened.next()
        {
            self.on_head.judge.explain(&call.raw(head, body), show);
        }
    }

    fn opened(&self, head: &RequestHead<'_>, target: Target) -> OpenedCall {
        let sent = &head.parts.method;
        let method = target.call().map_or(sent, |target| &target.method).clone();
        let operation = target.call().and_then(|target| target.operation);
        let root = target.call().map(|target| target.root);
        let profile = self.on_head.judge.enforced_profile(operation);
        let credentials = Credentials::read(&head.parts.headers, profile);
        let cost = CostClass::of(&method, operation);
        let identity = credentials
            .as_ref()
            .map_or_else(|identity| identity, Credentials::identity)
            .clone();
        let refusal = self.on_head.refusal(&ReadHead {
            head,
            target: &target,
            profile,
            cost,
            credentials: &credentials,
        });
        let next = match (target, refusal) {
            (_, Some(refusal)) => Err(refusal),
            (Target::Calendar(target), None) => Ok(self.readable(
                head,
                profile,
                ReadableCall {
                    target,
                    // Rejected ones get here only where the target leads to no route: they do not matter.
                    credentials: credentials.unwrap_or_default(),
                    body: BodyRule::of(sent, profile),
                    body_bytes: self.body_bytes,
                },
            )),
            (Target::Site { .. } | Target::Invalid(_), None) => Err(Refusal::no_route()),
        };
        OpenedCall {
            operation: operation.zip(root),
            method,
            cost,
            identity,
            next,
        }
    }

    /// The call with the facts of its head about its body.
    fn readable(&self, head: &RequestHead<'_>, profile: Profile, mut call: ReadableCall) -> ReadableCall {
        let Parts { method, headers, .. } = head.parts;
        if method.is_safe() {
            return call;
        }
        call.body = match self.on_head.judge.needs(&call.raw(head, &[])) {
            BodyNeed::All => call.body,
            BodyNeed::Words if headers.contains_key(EXPECT) => BodyRule::Leave,
            BodyNeed::Words => BodyRule::Brief,
            BodyNeed::Nothing => BodyRule::Drop,
        };
        if profile == Profile::Strict {
            let most = u64::try_from(strict::BODY_BYTES).unwrap_or(u64::MAX);
            call.body_bytes = call.body_bytes.min(most);
        }
        call
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_openapi_document_goes_with_doc() {
        let opened = |method: &str, path: &str, allow: bool| {
            let mut settings = Settings::default();
            settings.operations.entry(DOC).or_default().allow = allow;
            let request = http::Request::builder().method(method).uri(path).body(());
            let (parts, ()) = request.expect("a request").into_parts();
            let head = RequestHead::from_nowhere(&parts);
            matches!(Decider::new(&settings).open(&head), Opening::OpenApi(0))
        };
        let path = "/wp-json/tribe/events/v1/openapi.json";
        assert!(opened("GET", path, true) && opened("HEAD", path, true));
        assert!(!opened("POST", path, true) && !opened("GET", path, false));
        assert!(!opened(
            "GET",
            "/wp-json/tribe/events/v1/events/openapi.json",
            true
        ));
    }
}
