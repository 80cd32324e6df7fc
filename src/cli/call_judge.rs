//! A typed request, judged as a running edge would judge it.

use calendar_edge::app::DryRunCall;
use calendar_edge_core::explain::TypedRequest;
use calendar_edge_core::gateway::authority::PublicAddress;
use calendar_edge_core::gateway::decision::{Decider, Decision, HeadRules, RequestHead};
use calendar_edge_core::settings::Settings;
use calendar_edge_judge::call::Outcome;
use http::header::{CONNECTION, CONTENT_LENGTH, HOST, TRANSFER_ENCODING};
use http::request::Parts;

/// The edge's decision about a request.
#[derive(Debug)]
pub(super) enum Judged {
    /// It sends this call to a backend.
    Call(Box<DryRunCall>),
    /// It responds itself.
    OwnResponse,
    /// The request is not for the calendar.
    Elsewhere,
}

/// Judges requests by one set of settings.
#[derive(Debug)]
pub(super) struct CallJudge<'s> {
    settings: &'s Settings,
    head: HeadRules,
    decider: Decider,
}

// === impl CallJudge ===

impl<'s> CallJudge<'s> {
    pub(super) fn new(settings: &'s Settings) -> Self {
        Self {
            settings,
            head: HeadRules::new(&settings.limits, &settings.hosts),
            decider: Decider::new(settings),
        }
    }

    /// The call that a backend gets for a request from loopback.
    pub(super) fn judge(&self, request: &TypedRequest) -> Judged {
        let parts = self.parts(request);
        let Ok(host) = self.head.check(&parts) else {
            return Judged::OwnResponse;
        };
        let head = RequestHead::over_http(&parts, request.client, host.as_ref());
        let outcome = match self.decider.decide(&head, request.body.as_bytes()) {
            Decision::Judged(judgement) => judgement.outcome,
            Decision::Preflight | Decision::Refuse(_) => return Judged::OwnResponse,
            Decision::Site | Decision::RestIndex(_) | Decision::OpenApi(_) => return Judged::Elsewhere,
        };
        let Outcome::Forward(call) = outcome else {
            return Judged::OwnResponse;
        };
        let target = self.decider.target_of(&head, request.body.as_bytes());
        let namespace = target.and_then(|target| Some(target.matched?.namespace));
        let public = PublicAddress::of(self.settings.public_url.as_ref(), head.addressed);
        let call = DryRunCall::new(*call, &parts.headers, &public, namespace);
        Judged::Call(Box::new(call))
    }

    /// The head as it would arrive at the public host, framed by its body.
    fn parts(&self, request: &TypedRequest) -> Parts {
        let mut parts = request.parts(self.settings);
        for name in [CONNECTION, CONTENT_LENGTH, TRANSFER_ENCODING] {
            parts.headers.remove(name);
        }
        if !request.body.is_empty() {
            parts.headers.insert(CONTENT_LENGTH, request.body.len().into());
        }
        if let Some(host) = TypedRequest::public_host(self.settings) {
            parts.headers.insert(HOST, host);
        }
        parts
    }
}
