//! Refuses requests with ambiguous framing.

use super::arrived_request::ArrivedRequest;
use super::gate::HeadCheck;
use crate::server::RequestFraming;
use calendar_edge_judge::problem::Refusal;

/// Refuses requests that stand for a head which the connection's inspector refused.
#[derive(Debug)]
pub(super) struct FramingCheck;

impl HeadCheck for FramingCheck {
    /// The request stands for one that could not be read: there is nothing to note.
    fn check<B>(&self, request: &mut ArrivedRequest<B>) -> Result<(), Refusal> {
        let breach = request.framing.as_ref().and_then(RequestFraming::of_head);
        breach.map_or(Ok(()), |breach| Err(breach.refusal()))
    }
}
