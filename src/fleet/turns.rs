//! The choice of the edge that requests the number of changes of a root's site.

use std::sync::Arc;

use redis::Value;

use super::fleet::Fleet;
use super::subject::{Commands, ExchangeTurn, FleetSubject, Replies};
use crate::companion::RequestTurn;

/// Takes the turn for an edge that wants to send the request, unless another edge has it.
pub(super) struct Turns {
    fleet: Arc<Fleet>,
    sent: Vec<RequestTurn>,
}

// === impl Turns ===

impl Turns {
    pub(super) fn new(fleet: &Arc<Fleet>) -> Self {
        Self {
            fleet: fleet.clone(),
            sent: Vec::new(),
        }
    }
}

impl FleetSubject for Turns {
    fn add_commands(&mut self, commands: &mut Commands, _: ExchangeTurn) {
        self.sent.extend(self.fleet.companions.announcements.take_turns());
        let life = self.fleet.companions.reconcile() / 2;
        let life = life.as_millis().max(1).to_string();
        for asked in &self.sent {
            let key = format!("ask:{:016x}", self.fleet.hash_of(&asked.root));
            commands.command("SET", &key, &[&self.fleet.edge, "NX", "PX", &life]);
        }
    }

    fn take_replies(&mut self, replies: &mut Replies, _: ExchangeTurn) {
        for asked in self.sent.drain(..) {
            // Without a reply this edge sends it: once too often does no harm.
            let is_ours = replies.next::<Value>().is_none_or(|taken| taken != Value::Nil);
            // The receiver may have lost patience.
            let _ = asked.is_ours.send(is_ours);
        }
    }

    fn lose(&mut self) {
        // Their patience is short, and then each edge sends its request.
        self.sent.clear();
    }
}
