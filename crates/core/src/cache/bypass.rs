//! The calls whose responses may be looked up and kept, and the reasons of those that bypass the cache.

use std::collections::HashSet;

use strum::VariantArray as _;

use crate::settings::Settings;
use calendar_edge_judge::call::{ForwardableCall, ValidatedCall};
use calendar_edge_judge::contract::{Action, OperationId};

/// The settings that decide which responses are kept.
#[derive(Debug, Clone, Default)]
pub struct CachePolicy {
    /// True if any response may be kept.
    pub enabled: bool,
    switched_off: HashSet<OperationId>,
}

/// A read that passed every rule and whose response is the same for every client: the key to look up and to keep.
///
/// It can only be made of a [`ValidatedCall`], so that nothing is looked up before it is judged.
#[derive(Debug, Clone, Copy)]
pub struct CacheableCall<'a>(&'a ValidatedCall);

/// The reason why a read passes the cache by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Bypass {
    /// The cache is off for all operations.
    #[strum(serialize = "cache-off")]
    Disabled,
    /// The cache is off for this operation.
    #[strum(serialize = "operation-off")]
    SwitchedOff,
    /// It did not pass every rule: modes `report` and `off`.
    NotValidated,
    /// It has an `Authorization` header.
    Authorization,
    /// It has a cookie of a login.
    LoginCookie,
    /// It has a nonce.
    Nonce,
    /// It has the password of a post, as a parameter or as a cookie.
    Password,
    /// It requests a script (`_jsonp`).
    Script,
    /// It requests an envelope, which hides the status and holds headers.
    Envelope,
}

// === impl CachePolicy ===

impl CachePolicy {
    /// The policy of these settings.
    pub fn new(settings: &Settings) -> Self {
        let operations = settings.operations.iter();
        Self {
            enabled: settings.cache.enabled,
            switched_off: operations
                .filter(|(_, operation)| !operation.cache)
                .map(|(id, _)| *id)
                .collect(),
        }
    }

    /// Finds out whether the response to a call may come from the cache; `None` if the call is no read.
    pub fn judge<'a>(&self, call: &'a ForwardableCall) -> Option<Result<CacheableCall<'a>, Bypass>> {
        let operation = call.operation()?;
        match operation.id.action {
            Action::Create | Action::Update | Action::Delete => None,
            Action::Describe | Action::List | Action::Read => Some(self.admit(call)),
        }
    }

    fn admit<'a>(&self, call: &'a ForwardableCall) -> Result<CacheableCall<'a>, Bypass> {
        if !self.enabled {
            return Err(Bypass::Disabled);
        }
        let call = call.validated().ok_or(Bypass::NotValidated)?;
        if self.switched_off.contains(&call.operation().id) {
            return Err(Bypass::SwitchedOff);
        }
        match personal(call) {
            Some(bypass) => Err(bypass),
            None => Ok(CacheableCall(call)),
        }
    }
}

/// The sign that the response is for one client only.
fn personal(call: &ValidatedCall) -> Option<Bypass> {
    let credentials = call.credentials();
    let signs = [
        (credentials.has_authorization(), Bypass::Authorization),
        (credentials.shows_login(), Bypass::LoginCookie),
        (
            credentials.has_nonce(call.request().nonce.as_ref()),
            Bypass::Nonce,
        ),
        // The password of a post, and whatever else may be found out to be personal.
        (credentials.opens_post() || call.expects_privacy, Bypass::Password),
        (call.expects_javascript, Bypass::Script),
        (call.expects_envelope, Bypass::Envelope),
    ];
    signs
        .into_iter()
        .find_map(|(is_shown, bypass)| is_shown.then_some(bypass))
}

// === impl CacheableCall ===

impl<'a> CacheableCall<'a> {
    /// The call.
    pub const fn call(self) -> &'a ValidatedCall {
        self.0
    }

    /// The same read on behalf of every client that sends it, whose response has a body; `None` if it is this one.
    pub fn for_every_client(self) -> Option<ForwardableCall> {
        self.0.get_of_head().map(ForwardableCall::Validated)
    }
}

// === impl Bypass ===

impl Bypass {
    /// Every reason.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The name in `Cache-Status`, metrics and `explain`: a token.
    pub fn name(self) -> &'static str {
        self.into()
    }
}
