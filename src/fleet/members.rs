//! The table of the edges that are alive.

use std::sync::Arc;

use super::fleet::Fleet;
use super::metrics::StoreFaultKind;
use super::scripts::MEET;
use super::store_fault::StoreFault;
use super::subject::{Commands, ExchangeTurn, FleetSubject, Replies};
use crate::telemetry::unix_time;
use calendar_edge_core::fleet::{FleetMember, MemberTable, SealedText};

/// Writes the line of this edge, and reads those of the others.
pub(super) struct MemberLines {
    fleet: Arc<Fleet>,
}

/// The seconds that a line lives.
const LIFE: &str = "10";

// === impl MemberLines ===

impl MemberLines {
    pub(super) fn new(fleet: &Arc<Fleet>) -> Self {
        Self { fleet: fleet.clone() }
    }

    /// Reads the line of an edge: its time, its seal, its document.
    fn read(&self, edge: &str, line: &str) -> Result<FleetMember, StoreFault> {
        let forged = |fault: &dyn std::fmt::Display| {
            StoreFault::new(StoreFaultKind::Forged, format!("the line of a member: {fault}"))
        };
        // Before the seal stands the time that the store has written.
        let sealed = SealedText::of_line(FleetMember::KIND, edge, 1, line)
            .ok_or_else(|| forged(&"it has another form"))?;
        let seal = self.fleet.open(&sealed).map_err(|fault| forged(&fault))?;
        if !seal.is_timely(unix_time().as_secs()) {
            return Err(forged(&"it is too old, or the clocks of two edges differ"));
        }
        FleetMember::read(edge, &sealed.body).ok_or_else(|| forged(&"its document is malformed"))
    }
}

impl FleetSubject for MemberLines {
    fn add_commands(&mut self, commands: &mut Commands, turn: ExchangeTurn) {
        if !turn.is_meeting {
            return;
        }
        let sealed = self.fleet.seal(FleetMember::KIND, self.fleet.member().body());
        commands.script(MEET, &["members"], &[&sealed.edge, &sealed.line(), LIFE]);
    }

    fn take_replies(&mut self, replies: &mut Replies, turn: ExchangeTurn) {
        if !turn.is_meeting {
            return;
        }
        let Some(lines) = replies.next::<Vec<(String, String)>>() else {
            return self.be_alone();
        };
        let mut members = Vec::with_capacity(lines.len());
        for (edge, line) in &lines {
            match self.read(edge, line) {
                Ok(member) => members.push(member),
                Err(fault) => self.fleet.refused(&fault),
            }
        }
        self.fleet.take_members(MemberTable::new(members));
    }

    fn be_alone(&mut self) {
        self.fleet.limits.permits.lock().be_alone();
    }
}
