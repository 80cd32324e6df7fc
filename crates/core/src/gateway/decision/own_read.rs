//! Reads of the edge's own, which are judged like those of an anonymous client.

use http::{Method, Request};

use super::decider::{Decider, Opening};
use super::request_head::RequestHead;
use calendar_edge_judge::call::{ForwardableCall, Outcome};

// === impl Decider ===

impl Decider {
    /// The call of an anonymous GET of this path and query; none if the settings permit it to no client.
    pub fn own_read(&self, target: &str) -> Option<ForwardableCall> {
        let request = Request::builder().method(Method::GET).uri(target).body(());
        let (parts, ()) = request.ok()?.into_parts();
        let head = RequestHead::from_nowhere(&parts);
        let Opening::Call(opened) = self.open(&head) else {
            return None;
        };
        match self.judge(&head, &opened, opened.next().ok()?, Some(&[])).outcome {
            Outcome::Forward(call) => Some(*call),
            Outcome::Refuse(_) => None,
        }
    }
}
