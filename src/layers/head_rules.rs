//! The rules about heads, as a check before the gateway.

use http::Version;

use super::arrived_request::{ArrivalFacts, ArrivedRequest};
use super::context::{EdgeRequest, RequestContext};
use crate::server::{ReceivedRequest, RequestFraming};
use crate::telemetry::RefusalNote;
use calendar_edge_core::errors;
use calendar_edge_core::gateway::decision::HeadRules;
use calendar_edge_core::gateway::refusals::{DecidingBody, KeptRequest};
use calendar_edge_judge::problem::Refusal;

/// Makes the request of the gateway, which has the host as well; or refuses the head.
pub(super) fn check<B>(rules: &HeadRules, request: ArrivedRequest<B>) -> Result<EdgeRequest<B>, Refusal> {
    if request.framing.is_none() && request.head.version != Version::HTTP_2 {
        tracing::error!("no inspector has checked the framing of a request");
        return Err(errors::INTERNAL_ERROR.refusal());
    }
    // A request that stands for a head which the connection's inspector refused: the rules have nothing to judge in it,
    // and there is nothing to note.
    if let Some(breach) = request.framing.as_ref().and_then(RequestFraming::of_head) {
        return Err(breach.refusal());
    }
    let host = rules.check(&request.head).inspect_err(|refusal| {
        request.context.log.refused(|| RefusalNote {
            request: KeptRequest::keep(&request.head, DecidingBody::None),
            ..RefusalNote::rules(refusal)
        });
    })?;
    let ReceivedRequest {
        head,
        body,
        peer,
        framing,
        context: ArrivalFacts { client, id, log, .. },
    } = request;
    Ok(EdgeRequest {
        head,
        body,
        peer,
        framing,
        context: RequestContext {
            peer,
            client,
            host,
            id,
            log,
        },
    })
}

#[cfg(test)]
mod tests {
    use http::{Request, StatusCode};

    use super::*;
    use calendar_edge_core::settings::Settings;

    #[test]
    fn http1_needs_a_framing_that_was_checked() {
        let settings = Settings::default();
        let rules = HeadRules::new(&settings.limits, &settings.hosts);
        for (version, refused) in [(Version::HTTP_11, true), (Version::HTTP_2, false)] {
            let request = Request::post("http://h/").version(version).body(()).unwrap();
            let checked = check(&rules, ArrivedRequest::from_nowhere(request));
            let status = checked.err().map(|refusal| refusal.status());
            assert_eq!(status, refused.then_some(StatusCode::INTERNAL_SERVER_ERROR));
        }
    }
}
