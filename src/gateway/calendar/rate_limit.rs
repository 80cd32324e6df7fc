//! Rate limits, by client address and by credentials.
//!
//! Every request to the calendar is charged before anything is judged: a flood of requests that would be refused is
//! still a flood. A request that exceeds a limit costs neither a body nor a judgement.

use crate::calls::{CallResponse, Stage};
use crate::gateway::call_request::CallRequest;
use crate::gateway::rate_limiter::RateLimiter;
use crate::layers::EdgeResponse;

/// Responds with 429 when a limit is exceeded; shows every other client its remaining budget.
#[derive(Debug)]
pub(in crate::gateway) struct RateLimit<S> {
    pub(in crate::gateway) inner: S,
    pub(in crate::gateway) limiter: RateLimiter,
}

// === impl RateLimit ===

impl<S: Stage<CallRequest, CallResponse>> Stage<CallRequest, EdgeResponse> for RateLimit<S> {
    async fn call(&self, request: CallRequest) -> EdgeResponse {
        if self.limiter.budgets.limits.are_unset() {
            return self.inner.call(request).await.response;
        }
        let opened = &request.opened;
        let charged = self
            .limiter
            .charge(&request.received, &opened.identity, opened.cost);
        let charged = match charged.await {
            Ok(charged) => charged,
            Err(exceeded) => return self.limiter.refuse(&request.received, &exceeded),
        };
        let CallResponse {
            mut response, login, ..
        } = self.inner.call(request).await;
        charged.status.write(response.headers_mut());
        self.limiter.note_login(&charged, login);
        if !login.is_charged() {
            self.limiter.return_charges(charged);
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use http::StatusCode;

    use super::*;
    use crate::calls::fake_stage::{EVENT, FakeStage, presented, request, settings};
    use crate::gateway::{GatewayState, Plan};
    use crate::layers::SentBody;
    use crate::telemetry::Metrics;
    use calendar_edge_core::gateway::decision::Decider;
    use calendar_edge_core::limits::rates::Login;
    use calendar_edge_core::settings::{Rate, Settings};

    const ONE: Option<Rate> = Some(Rate {
        requests: 1,
        period: Duration::from_hours(1),
    });

    type Below = FakeStage<CallRequest, CallResponse>;

    /// The stage above one whose responses show this about logins.
    fn limited(settings: &Settings, login: Login) -> (RateLimit<Arc<Below>>, Arc<Below>) {
        let below = FakeStage::at_once(move |_: &CallRequest| CallResponse {
            login,
            ..presented(StatusCode::OK, "{}")
        });
        let state = GatewayState::new(settings, 0, Metrics::new()).expect("a state");
        let limiter = Plan::new(settings, &state).rate_limiter();
        let inner = Arc::clone(&below);
        (RateLimit { inner, limiter }, below)
    }

    /// The response to a write, and the bytes of its body that were read.
    async fn write(stage: &RateLimit<Arc<Below>>) -> (EdgeResponse, u64) {
        let (body, sent) = SentBody::of(EVENT).await;
        let decider = Decider::new(&settings());
        let request = CallRequest::of(&decider, request("POST", "/events"), body);
        (stage.call(request).await, sent.bytes_read())
    }

    #[tokio::test]
    async fn a_client_beyond_its_rate_costs_neither_a_body_nor_a_stage() {
        let mut settings = settings();
        settings.rate_limits.address.writes = ONE;
        let (stage, below) = limited(&settings, Login::Written);
        assert_eq!(write(&stage).await.0.status(), StatusCode::OK);
        let (response, read) = write(&stage).await;
        assert_eq!(response.status(), StatusCode::TOO_MANY_REQUESTS);
        assert_eq!((below.begun(), read), (1, 0));
    }

    #[tokio::test]
    async fn only_a_response_that_proves_a_login_gives_its_charge_back() {
        let mut settings = settings();
        settings.rate_limits.failed_logins = ONE;
        for (login, served) in [
            (Login::NotRefused, 3),
            (Login::Written, 3),
            (Login::Wrong, 1),
            (Login::Unproven, 1),
        ] {
            let (stage, below) = limited(&settings, login);
            for _ in 0..3 {
                write(&stage).await;
            }
            assert_eq!(below.begun(), served, "{login:?}");
        }
    }
}
