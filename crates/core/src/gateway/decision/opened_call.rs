//! A calendar request of which only the head is read.

use std::sync::Arc;

use http::Method;

use super::request_head::RequestHead;
use crate::errors;
use crate::limits::rates::CostClass;
use crate::settings::Profile;
use calendar_edge_judge::call::RawCall;
use calendar_edge_judge::call::credentials::{Credentials, Identity};
use calendar_edge_judge::contract::Operation;
use calendar_edge_judge::problem::{OwnError, Refusal};
use calendar_edge_judge::routing::{CallTarget, RouteMatch};
use calendar_edge_judge::wordpress::payload::ContentHeaders;

/// A request that the calendar's rules decide about, after its head is read and before its body is.
#[derive(Debug)]
pub struct OpenedCall {
    /// The operation that path and method lead to with the position of its root, whether or not the call is refused.
    pub operation: Option<(&'static Operation, usize)>,
    /// The method that WordPress takes, whether or not the call is refused.
    pub method: Method,
    /// The cost by which rate limits count the request.
    pub cost: CostClass,
    /// The identity by which rate limits count the request; rejected credentials count as well.
    pub identity: Identity,
    /// The consequence of the head.
    pub(super) next: Result<ReadableCall, Refusal>,
}

/// A call that its head does not refuse, so that its body is read and judged.
#[derive(Debug)]
pub struct ReadableCall {
    pub(super) target: CallTarget,
    pub(super) credentials: Credentials,
    /// The rule for its body.
    pub body: BodyRule,
    pub(super) body_bytes: u64,
}

/// Maximum bytes of a body that is read although the call is refused by its head.
const BRIEF: u64 = 16 * 1024;

/// The rule for the body of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyRule {
    /// It is read.
    Read,
    /// It is read if it is short and comes at once: it can only change the words of a refusal.
    Brief,
    /// It is not read, because the client waits for permission to send it, and the call is refused.
    Leave,
    /// It is dropped, because the method has none.
    Drop,
    /// A single byte is refused, because the method has none and the strict profile holds.
    Refuse,
}

// === impl OpenedCall ===

impl OpenedCall {
    /// The call, unless the head alone decides that it is refused.
    ///
    /// # Errors
    ///
    /// The refusal; the body is not read then.
    pub const fn next(&self) -> Result<&ReadableCall, &Refusal> {
        self.next.as_ref()
    }

    /// The public namespace that the target names; none where its head refuses the call, or it leads to no route.
    pub fn namespace(&self) -> Option<&Arc<str>> {
        self.matched().map(|matched| &matched.namespace)
    }

    /// Returns true if the target names a calendar file, whose response is a calendar whatever the client accepts.
    pub fn names_calendar_file(&self) -> bool {
        self.matched().is_some_and(|matched| matched.is_calendar_file)
    }

    fn matched(&self) -> Option<&RouteMatch> {
        self.next.as_ref().ok()?.target.matched.as_ref()
    }
}

// === impl BodyRule ===

impl BodyRule {
    /// The rule for requests with this method on the wire.
    pub(super) fn of(wire: &Method, profile: Profile) -> Self {
        match profile {
            _ if !wire.is_safe() => Self::Read,
            Profile::Compatible => Self::Drop,
            Profile::Strict => Self::Refuse,
        }
    }
}

// === impl ReadableCall ===

impl ReadableCall {
    /// The call as the judge reads it.
    pub(super) fn raw<'a>(&'a self, head: &'a RequestHead<'_>, body: &'a [u8]) -> RawCall<'a> {
        RawCall {
            method: &head.parts.method,
            target: &self.target,
            credentials: &self.credentials,
            content: ContentHeaders::of(&head.parts.headers),
            body,
        }
    }

    /// Maximum bytes of its body. A longer one is refused, or with [`BodyRule::Brief`] left unread.
    pub const fn body_bytes(&self) -> u64 {
        match self.body {
            BodyRule::Brief if self.body_bytes > BRIEF => BRIEF,
            _ => self.body_bytes,
        }
    }

    /// The part of a whole body by which it is judged; none: the body counts as unread.
    ///
    /// # Errors
    ///
    /// A body that is too large, or that must not be there.
    pub fn taken<B: AsRef<[u8]> + Default>(&self, body: B) -> Result<Option<B>, &'static OwnError> {
        let length = body.as_ref().len();
        let is_too_large = u64::try_from(length).is_ok_and(|length| length > self.body_bytes());
        match self.body {
            BodyRule::Read if is_too_large => Err(errors::BODY_TOO_LARGE),
            BodyRule::Brief if is_too_large => Ok(None),
            BodyRule::Leave => Ok(None),
            BodyRule::Read | BodyRule::Brief => Ok(Some(body)),
            BodyRule::Refuse if length > 0 => Err(errors::UNEXPECTED_BODY),
            BodyRule::Drop | BodyRule::Refuse => Ok(Some(B::default())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::decider::Decider;
    use super::super::request_head::RequestHead;
    use super::*;
    use crate::gateway::decision::Opening;
    use crate::settings::Settings;

    fn body(method: &str, fields: &[(&str, &str)]) -> BodyRule {
        let request = http::Request::builder()
            .method(method)
            .uri("/wp-json/tribe/events/v1/events");
        let request = fields
            .iter()
            .fold(request, |request, (name, value)| request.header(*name, *value));
        let (parts, ()) = request.body(()).unwrap().into_parts();
        let head = RequestHead::from_nowhere(&parts);
        match Decider::new(&Settings::default()).open(&head) {
            Opening::Call(opened) => opened.next.unwrap().body,
            _ => panic!("a call of the calendar"),
        }
    }

    #[test]
    fn a_body_that_changes_only_the_words_of_a_refusal_is_not_sent_for() {
        let basic = ("authorization", "Basic YTpi");
        let expect = ("expect", "100-continue");
        assert_eq!(body("POST", &[]), BodyRule::Brief);
        assert_eq!(body("POST", &[expect]), BodyRule::Leave);
        assert_eq!(body("POST", &[basic, expect]), BodyRule::Read);
        assert_eq!(body("GET", &[expect]), BodyRule::Drop);
    }
}
