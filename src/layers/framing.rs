//! Refuses requests with ambiguous framing.

use http::request::Parts;

use super::gate::HeadCheck;
use crate::framing::{Breach, check_decoded};
use crate::problem::Refusal;
use crate::server::RequestFraming;

/// Refuses stand-ins for an invalid head (decision 0008), and invalid heads that the HTTP library accepts.
#[derive(Debug)]
pub(super) struct FramingCheck;

impl HeadCheck for FramingCheck {
    type Fact = ();

    fn check(&self, head: &Parts) -> Result<(), Refusal> {
        let framing = head.extensions.get::<RequestFraming>();
        match framing.and_then(RequestFraming::of_head) {
            Some(breach) => Err(breach.refusal()),
            None => check_decoded(head).map_err(Breach::refusal),
        }
    }
}
