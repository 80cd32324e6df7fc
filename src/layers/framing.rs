//! Requests whose framing can be read in two ways.

use http::request::Parts;

use super::gate::HeadCheck;
use crate::framing::{Breach, check_decoded};
use crate::problem::Refusal;
use crate::server::RequestFraming;

/// Refuses requests that stand for a broken head, and heads that HTTP libraries let pass.
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
