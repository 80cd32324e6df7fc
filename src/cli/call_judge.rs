//! A typed request, judged as a running edge would judge it.

use calendar_edge::app::DryRunCall;
use calendar_edge_core::explain::TypedRequest;
use calendar_edge_core::gateway::authority::PublicAddress;
use calendar_edge_core::gateway::decision::{Decider, Decision, HeadRules, RequestHead};
use calendar_edge_core::settings::Settings;
use calendar_edge_judge::call::Outcome;
use http::header::{CONNECTION, CONTENT_LENGTH, HOST, TRANSFER_ENCODING};
use http::request::Parts;

/// The edge sends no call: it responds itself.
const OWN_RESPONSE: &str = "the edge responds itself";

/// The edge sends no call: the request leads elsewhere.
const ELSEWHERE: &str = "not for the calendar";

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
    ///
    /// # Errors
    /// The reason why no backend gets one.
    pub(super) fn judge(&self, request: &TypedRequest) -> Result<DryRunCall, &'static str> {
        let parts = self.parts(request);
        let host = self.head.check(&parts).map_err(|_| OWN_RESPONSE)?;
        let head = RequestHead::over_http(&parts, request.client, host.as_ref());
        let outcome = match self.decider.decide(&head, request.body.as_bytes()) {
            Decision::Judged(judgement) => judgement.outcome,
            Decision::Preflight | Decision::Refuse(_) => return Err(OWN_RESPONSE),
            Decision::Site | Decision::RestIndex(_) | Decision::OpenApi(_) => return Err(ELSEWHERE),
        };
        let Outcome::Forward(call) = outcome else {
            return Err(OWN_RESPONSE);
        };
        let target = self.decider.target_of(&head, request.body.as_bytes());
        let namespace = target.and_then(|target| Some(target.matched?.namespace));
        let public = PublicAddress::of(self.settings.public_url.as_ref(), head.addressed);
        Ok(DryRunCall::new(*call, &parts.headers, &public, namespace))
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
