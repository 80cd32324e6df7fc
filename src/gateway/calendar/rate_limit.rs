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
        if self.limiter.budgets.are_unset() {
            return self.inner.call(request).await.response;
        }
        let opened = &request.opened;
        let charged = self
            .limiter
            .charge(&request.asked, opened.identity(), opened.cost());
        let charged = match charged.await {
            Ok(charged) => charged,
            Err(exceeded) => return self.limiter.refuse(&request.asked, &exceeded),
        };
        let CallResponse {
            mut response, login, ..
        } = self.inner.call(request).await;
        charged.status().write(response.headers_mut());
        self.limiter.note_login(&charged, login);
        if !login.is_charged() {
            self.limiter.return_charges(charged);
        }
        response
    }
}
