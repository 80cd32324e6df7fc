//! The rules about a request's head that hold before its target is read.

use http::request::Parts;

use super::head_limits::breach;
use super::host_rule::named_host;
use crate::framing::check_decoded;
use crate::gateway::authority::Host;
use crate::settings::Limits;
use calendar_edge_judge::problem::{OwnError, Refusal};

/// Checks heads by the limits and host names of the settings.
#[derive(Debug)]
pub struct HeadRules {
    limits: Limits,
    hosts: Vec<String>,
}

// === impl HeadRules ===

impl HeadRules {
    /// The rules of these limits, for these hosts.
    pub fn new(limits: &Limits, hosts: &[String]) -> Self {
        Self {
            limits: limits.clone(),
            hosts: hosts.to_vec(),
        }
    }

    /// The host that a sound head names; none only over HTTP/1.0.
    ///
    /// # Errors
    ///
    /// The refusal of a head that breaks a rule of its protocol version, exceeds a limit, or names no host or a host
    /// that is not served here.
    pub fn check(&self, head: &Parts) -> Result<Option<Host>, Refusal> {
        // First whether it is a valid head at all: the other rules rely on that.
        check_decoded(head).map_err(OwnError::refusal)?;
        breach(&self.limits, head).map_or(Ok(()), |breach| Err(breach.refusal()))?;
        named_host(&self.hosts, head)
    }
}
