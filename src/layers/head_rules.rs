//! The rules about heads, as a check before the gateway.

use http::request::Parts;

use super::gate::HeadCheck;
use crate::authority::Host;
use crate::decision::HeadRules;
use crate::problem::Refusal;

/// The host that a request names; none only where HTTP/1.0 allows that.
#[derive(Debug, Clone)]
pub(super) struct NamedHost(pub(super) Option<Host>);

// === impl HeadRules ===

impl HeadCheck for HeadRules {
    type Fact = NamedHost;

    fn check(&self, head: &Parts) -> Result<NamedHost, Refusal> {
        Self::check(self, head).map(NamedHost)
    }
}
