//! Refuses requests with ambiguous framing.

use http::request::Parts;

use super::gate::HeadCheck;
use crate::problem::Refusal;
use crate::server::RequestFraming;

/// Refuses requests that stand for a head which the connection's inspector refused.
#[derive(Debug)]
pub(super) struct FramingCheck;

impl HeadCheck for FramingCheck {
    type Fact = ();

    fn check(&self, head: &Parts) -> Result<(), Refusal> {
        let framing = head.extensions.get::<RequestFraming>();
        let breach = framing.and_then(RequestFraming::of_head);
        breach.map_or(Ok(()), |breach| Err(breach.refusal()))
    }

    fn found(&self, (): (), _: &mut Parts) {}

    /// The request stands for one that could not be read: there is nothing to keep.
    fn note(&self, _: &Parts, _: &Refusal) {}
}
