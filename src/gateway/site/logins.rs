//! Logins at the rest of the site: charged before the site checks a password, and given back once it was not wrong.

use std::future::Future;

use http::header::ACCEPT_ENCODING;
use http::request::Parts;
use http::{HeaderMap, HeaderValue};

use super::body_start::BodyStart;
use crate::gateway::rate_limiter::RateLimiter;
use crate::layers::{AskedRequest, EdgeResponse};
use calendar_edge_core::gateway::decision::{LOGIN_ANSWER_BYTES, LoginDoor};
use calendar_edge_core::limits::rates::Login;

// === impl RateLimiter ===

/// Failed logins of requests that are not calendar calls count in the budgets of those that are.
impl RateLimiter {
    /// Asks for a response that shows whether a password was wrong.
    pub(in crate::gateway) fn prepare_login(&self, head: &Parts, outgoing: &mut HeaderMap) {
        if self.door(head).is_some_and(LoginDoor::is_told_by_body) {
            outgoing.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        }
    }

    /// Charges the passwords that a request tries, and answers 429 above the rate. Otherwise it waits for the response,
    /// and gives the charges back if it proves that no login failed. `form` is as for [`LoginDoor::tried`].
    pub(in crate::gateway) async fn guard_login(
        &self,
        asked: &AskedRequest,
        form: Option<&[u8]>,
        answer: impl Future<Output = EdgeResponse>,
    ) -> EdgeResponse {
        let Some(door) = self.door(&asked.head) else {
            return answer.await;
        };
        let tried = door.tried(&asked.head, form);
        let charges = match self.charge_logins(asked, &tried).await {
            Ok(charges) => charges,
            Err(exceeded) => return self.refuse(asked, &exceeded),
        };
        let mut answer = answer.await;
        let start = if door.is_told_by_body() {
            BodyStart::read(&mut answer, LOGIN_ANSWER_BYTES).await
        } else {
            BodyStart::default()
        };
        if let Some(first) = charges
            .first()
            .filter(|_| door.proves_login(&asked.head, answer.headers()))
        {
            self.note_login(first, Login::Written);
        }
        let is_none = door.proves_none(
            answer.status(),
            answer.headers(),
            start.is_whole.then_some(&start.bytes),
        );
        for charged in charges.into_iter().filter(|_| is_none) {
            self.return_charges(charged);
        }
        start.back_into(answer)
    }

    fn door(&self, head: &Parts) -> Option<LoginDoor> {
        self.budgets.count_logins().then(|| LoginDoor::of(head)).flatten()
    }
}
