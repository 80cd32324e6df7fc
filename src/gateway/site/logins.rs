//! Logins at the rest of the site: charged before the site checks a password, and given back once it proves that none
//! was wrong.

use std::future::Future;

use http::header::ACCEPT_ENCODING;
use http::request::Parts;
use http::{HeaderMap, HeaderValue};

use super::body_start::BodyStart;
use crate::gateway::rate_limiter::RateLimiter;
use crate::layers::{BodilessRequest, EdgeResponse};
use calendar_edge_core::gateway::decision::{LOGIN_RESPONSE_BYTES, LoginDoor};
use calendar_edge_core::limits::rates::Login;

/// The end of an exchange with the rest of the site: its response. If the edge responds in its place, the failure has a
/// result for the passwords in the request.
pub(in crate::gateway) type SiteEnd = (EdgeResponse, Option<Login>);

// === impl RateLimiter ===

/// Failed logins of requests that are not calendar calls count in the budgets of those that are.
impl RateLimiter {
    /// Requests a response that shows if a password was wrong.
    pub(in crate::gateway) fn prepare_login(&self, head: &Parts, outgoing: &mut HeaderMap) {
        if self.door(head).is_some_and(LoginDoor::is_shown_by_body) {
            outgoing.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        }
    }

    /// Charges the passwords that a request tries, and responds with 429 above the rate. Otherwise it waits for the end
    /// of the exchange, and gives the charges back if that proves that no login failed. `form` is as for
    /// [`LoginDoor::tried`].
    pub(in crate::gateway) async fn guard_login(
        &self,
        received: &BodilessRequest,
        form: Option<&[u8]>,
        end: impl Future<Output = SiteEnd>,
    ) -> EdgeResponse {
        let Some(door) = self.door(&received.head) else {
            return end.await.0;
        };
        let tried = door.tried(&received.head, form);
        let charges = match self.charge_logins(received, &tried).await {
            Ok(charges) => charges,
            Err(exceeded) => return self.refuse(received, &exceeded),
        };
        let (answer, login) = match end.await {
            (answer, None) => shown_by(door, &received.head, answer).await,
            (answer, Some(login)) => (answer, login),
        };
        if let Some(first) = charges.first() {
            self.note_login(first, login);
        }
        for charged in charges.into_iter().filter(|_| !login.is_charged()) {
            self.return_charges(charged);
        }
        answer
    }

    fn door(&self, head: &Parts) -> Option<LoginDoor> {
        self.budgets.count_logins().then(|| LoginDoor::of(head)).flatten()
    }
}

/// The result of the login with the passwords in a request, by the response, which is whole again.
async fn shown_by(door: LoginDoor, head: &Parts, mut answer: EdgeResponse) -> (EdgeResponse, Login) {
    let start = if door.is_shown_by_body() {
        BodyStart::read(&mut answer, LOGIN_RESPONSE_BYTES).await
    } else {
        BodyStart::default()
    };
    let body = start.is_whole.then_some(&*start.bytes);
    let login = door.shown_by(head, (answer.status(), answer.headers()), body);
    (start.back_into(answer), login)
}
