//! Rules of `[[cutover]]`: one standing for all edges, and the sums of their guards.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::fleet::Fleet;
use super::metrics::{SENT, StoreFaultKind};
use super::scripts::{CHANGE, COUNT};
use super::store_fault::StoreFault;
use super::subject::{Commands, ExchangeTurn, FleetSubject, Replies};
use crate::migration::RuleState;
use calendar_edge_core::companion::mark::SealFault;
use calendar_edge_core::fleet::{FleetMessage, RuleMessage, SealedText};
use calendar_edge_core::migration::cutover::{RuleRecord, SharedCounts};

/// Sends changes of rules and counts of guards, and takes those of other edges.
pub(super) struct SharedRules {
    fleet: Arc<Fleet>,
    /// The versions of the lines in the store, as they are written there.
    versions: HashMap<String, String>,
    sent: Vec<RuleCommand>,
}

/// A command about rules that waits for its reply.
enum RuleCommand {
    /// The change to a standing that a rule has.
    Change(Arc<RuleState>, RuleRecord),
    /// The standings of all rules.
    All,
    /// The counts of other edges in a slot.
    Counts(Arc<RuleState>, String),
}

/// The standing of a rule, as its line holds it.
#[derive(Serialize, Deserialize)]
struct RuleLine {
    rule: String,
    standing: RuleRecord,
}

/// The kind of a sealed standing.
const STANDING: &str = "standing";

/// The time that the counts of a slot live in the store: longer than they are read, by any window.
const COUNTS_LIVE: &str = "120000";

// === impl SharedRules ===

impl SharedRules {
    pub(super) fn new(fleet: &Arc<Fleet>) -> Self {
        Self {
            fleet: fleet.clone(),
            versions: HashMap::new(),
            sent: Vec::new(),
        }
    }

    /// Adds the command that puts a standing in place of the one that this edge has read.
    fn add_change(&self, commands: &mut Commands, rule: &str, standing: &RuleRecord) {
        let message = FleetMessage::Rule(RuleMessage {
            rule: rule.to_owned(),
            version: standing.version,
        });
        let message = self.fleet.seal(message.kind(), message.body());
        let line = RuleLine {
            rule: rule.to_owned(),
            standing: standing.clone(),
        };
        // Numbers and texts always have a form in JSON.
        let line = serde_json::to_string(&line).unwrap_or_default();
        let line = self.fleet.seal(STANDING, line);
        let line = format!("{} {} {}", standing.version, line.edge, line.line());
        let boot = Uuid::new_v4().simple().to_string();
        let known = self.versions.get(rule).map_or("0", String::as_str);
        let arguments: [&str; 8] = [
            &boot,
            &message.edge,
            &message.kind,
            &message.body,
            &message.seal,
            rule,
            known,
            &line,
        ];
        commands.script(CHANGE, &["boot", "n", "log", "rules"], &arguments);
    }

    /// Sends the counts of this edge, and requests those of the others.
    fn add_counts(&mut self, commands: &mut Commands, rule_state: &Arc<RuleState>) {
        for counts in rule_state.counts_to_send() {
            let key = format!("g:{}:{}", counts.rule, counts.slot);
            let sealed = self.fleet.seal(SharedCounts::KIND, counts.to_json());
            commands.script(COUNT, &[&key], &[&sealed.edge, &sealed.line(), COUNTS_LIVE]);
            self.sent
                .push(RuleCommand::Counts(Arc::clone(rule_state), counts.slot));
        }
    }

    /// Takes the reply to a change: nothing if it was written, else the line that the rule has instead, which is merged.
    fn take_change(&mut self, rule_state: &RuleState, version: u64, line: Option<&str>) {
        if let Some(line) = line {
            // A change that this edge still has to send goes out at once.
            self.fleet.migration.note_change();
            return self.merge(rule_state, Some(line).filter(|line| !line.is_empty()));
        }
        self.versions
            .insert(rule_state.name.to_string(), version.to_string());
        self.fleet.metrics.message("rule", SENT);
        rule_state.confirm(version);
    }

    /// Takes the line of a rule in the store; none: it has none. A line that no edge of the fleet has written is
    /// replaced.
    fn merge(&mut self, rule_state: &RuleState, line: Option<&str>) {
        let name = rule_state.name.to_string();
        let Some(line) = line else {
            self.versions.remove(&name);
            return rule_state.merge(None);
        };
        let standing = self.read(&name, line);
        let digits = line.split(|letter: char| !letter.is_ascii_digit()).next();
        self.versions.insert(name, digits.unwrap_or_default().to_owned());
        rule_state.merge(self.unless_refused(standing).as_ref());
    }

    fn unless_refused<T>(&self, read: Result<T, StoreFault>) -> Option<T> {
        read.map_err(|fault| self.fleet.refused(&fault)).ok()
    }

    fn read(&self, rule: &str, line: &str) -> Result<RuleRecord, StoreFault> {
        // Before the seal stand the version and the edge.
        let edge = line.split(' ').nth(1).unwrap_or_default();
        let body = self.open(STANDING, SealedText::of_line(STANDING, edge, 2, line))?;
        let line: Option<RuleLine> = serde_json::from_str(&body).ok();
        let line = line.filter(|line| line.rule == rule);
        line.map(|line| line.standing)
            .ok_or_else(|| forged(STANDING, "it is of another form"))
    }

    fn read_counts(
        &self,
        edge: &str,
        line: &str,
        rule: &str,
        slot: &str,
    ) -> Result<SharedCounts, StoreFault> {
        let sealed = SealedText::of_line(SharedCounts::KIND, edge, 0, line);
        let body = self.open(SharedCounts::KIND, sealed)?;
        SharedCounts::read(&body, rule, slot)
            .ok_or_else(|| forged(SharedCounts::KIND, "it is of another form"))
    }

    /// The text under the seal of an edge of this fleet, of whatever age.
    fn open(&self, kind: &str, sealed: Option<SealedText>) -> Result<String, StoreFault> {
        let sealed = sealed.ok_or(SealFault::Malformed);
        let opened = sealed.and_then(|sealed| self.fleet.open(&sealed).map(|_| sealed.body));
        opened.map_err(|fault| forged(kind, &fault.to_string()))
    }

    fn take_standings(&mut self, lines: &BTreeMap<String, String>) {
        for rule_state in self.fleet.migration.rule_states() {
            let line = lines.get(&*rule_state.name).map(String::as_str);
            self.merge(&rule_state, line);
        }
    }

    fn take_counts(&self, rule_state: &RuleState, slot: &str, lines: &[(String, String)]) {
        let lines = lines.iter().filter(|(edge, _)| *edge != self.fleet.edge);
        let read = lines.map(|(edge, line)| self.read_counts(edge, line, &rule_state.name, slot));
        let others: Vec<SharedCounts> = read.filter_map(|read| self.unless_refused(read)).collect();
        rule_state.take_counts(slot, &others);
    }

    /// None without a reply.
    fn take_reply(&mut self, command: &RuleCommand, replies: &mut Replies) -> Option<()> {
        match command {
            RuleCommand::Change(rule_state, standing) => {
                let line: Option<String> = replies.next()?;
                self.take_change(rule_state, standing.version, line.as_deref());
            }
            RuleCommand::All => self.take_standings(&replies.next()?),
            RuleCommand::Counts(rule_state, slot) => {
                let lines: Vec<_> = replies.next()?;
                self.take_counts(rule_state, slot, &lines);
            }
        }
        Some(())
    }
}

/// A text in the store that no edge of this fleet has written so.
fn forged(kind: &str, fault: &str) -> StoreFault {
    StoreFault::new(StoreFaultKind::Forged, format!("the {kind} of a rule: {fault}"))
}

impl FleetSubject for SharedRules {
    fn add_commands(&mut self, commands: &mut Commands, turn: ExchangeTurn) {
        self.sent.clear();
        let rule_states = self.fleet.migration.rule_states();
        if rule_states.is_empty() {
            return;
        }
        for rule_state in &rule_states {
            let standing = rule_state.standing();
            if standing.is_unreported() {
                self.add_change(commands, &rule_state.name, &standing);
                self.sent
                    .push(RuleCommand::Change(Arc::clone(rule_state), standing));
            }
        }
        let is_changed = self.fleet.take_rules_changed();
        if is_changed || turn.is_new_second {
            commands.command("HGETALL", "rules", &[]);
            self.sent.push(RuleCommand::All);
        }
        if turn.is_new_second {
            for rule_state in &rule_states {
                self.add_counts(commands, rule_state);
            }
        }
    }

    fn take_replies(&mut self, replies: &mut Replies, _: ExchangeTurn) {
        for command in std::mem::take(&mut self.sent) {
            self.take_reply(&command, replies);
        }
    }

    fn lose(&mut self) {
        self.sent.clear();
        self.fleet.rules_have_changed();
    }
}
