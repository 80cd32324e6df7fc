//! The proof that a call was judged.

use super::canonical::CanonicalRequest;
use super::expected::ExpectedAnswer;
use super::phases::Deferred;
use crate::contract::Operation;
use crate::credentials::Credentials;

/// A call that was judged and encoded. Only this module's parent makes one, and everything that talks to an
/// origin takes nothing else.
#[derive(Debug, Clone, PartialEq)]
pub struct ValidatedCall {
    pub(super) request: CanonicalRequest,
    pub(super) credentials: Credentials,
    pub(super) operation: Option<&'static Operation>,
    pub(super) deferred: Vec<Deferred>,
    pub(super) answer: ExpectedAnswer,
}

// === impl ValidatedCall ===

impl ValidatedCall {
    /// What goes to the origin.
    pub fn request(&self) -> &CanonicalRequest {
        &self.request
    }

    /// The credentials it was judged with, which go to the origin with it.
    pub fn credentials(&self) -> &Credentials {
        &self.credentials
    }

    /// The operation; none for the description OPTIONS asks for.
    pub fn operation(&self) -> Option<&'static Operation> {
        self.operation
    }

    /// Whether the call changes the calendar: it is then sent at most once and runs to its end.
    pub fn is_write(&self) -> bool {
        self.operation.is_some_and(Operation::is_write)
    }

    /// What only the origin can judge about it.
    pub fn deferred(&self) -> &[Deferred] {
        &self.deferred
    }

    /// Whether the answer is a script, because `_jsonp` was asked for and is allowed.
    pub fn expects_javascript(&self) -> bool {
        self.answer.javascript
    }

    /// Whether the answer is wrapped, because `_envelope` was asked for: its status then says nothing.
    pub fn expects_envelope(&self) -> bool {
        self.answer.enveloped
    }

    /// Whether the answer is for this client only: credentials, or the password of a protected post.
    pub fn expects_privacy(&self) -> bool {
        self.answer.personal
    }
}
