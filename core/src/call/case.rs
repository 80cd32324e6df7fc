//! A call of an operation: on arrival, and with its arguments read.

use std::cell::OnceCell;

use super::nonce::nonce;
use super::policy::Policy;
use super::reading::{RawCall, read_bags};
use super::wordpress::{Checked, Deferred, check, readings};
use crate::contract::Operation;
use crate::credentials::Caller;
use crate::payload::Parameters;
use crate::problem::{Allow, Problem, Refusal, Style};
use crate::routing::RouteMatch;
use crate::settings::Mode;

/// A call of an operation before anything of its body is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arrival<'a> {
    pub(super) call: &'a RawCall<'a>,
    pub(super) matched: &'a RouteMatch,
    pub(super) operation: &'static Operation,
    pub(super) policy: &'a Policy,
}

/// A call whose arguments are read.
#[derive(Debug)]
pub(super) struct Case<'a> {
    pub(super) call: &'a RawCall<'a>,
    pub(super) matched: &'a RouteMatch,
    pub(super) operation: &'static Operation,
    pub(super) policy: &'a Policy,
    /// Decides what an objection means.
    pub(super) mode: Mode,
    pub(super) parameters: Parameters,
    pub(super) caller: Caller,
    pub(super) is_nonce_first: bool,
    pub(super) style: Style,
    /// What WordPress would say; filled by the phase that asks.
    checked: OnceCell<Checked>,
}

// === impl Arrival ===

impl<'a> Arrival<'a> {
    /// Reads path, query and body.
    ///
    /// # Errors
    /// What makes the body unreadable.
    pub(super) fn read(self) -> Result<Case<'a>, Problem> {
        let Self {
            call,
            matched,
            operation,
            policy,
        } = self;
        let parameters = read_bags(call, matched, &policy.limits)?;
        let nonce = nonce(call.method, &parameters);
        let style = self.style().map(|style| style.or_asked_for_in(&parameters));
        Ok(Case {
            call,
            matched,
            operation,
            policy,
            mode: policy.mode(Some(operation)),
            caller: call.credentials.caller(nonce.as_ref()),
            is_nonce_first: call.credentials.is_nonce_first(nonce.as_ref()),
            parameters,
            style: style.unwrap_or_default(),
            checked: OnceCell::new(),
        })
    }

    /// The refusal of a call whose body is not read.
    pub(super) fn refusal(&self, problem: Problem) -> Refusal {
        let caller = self.call.credentials.caller(None);
        Refusal::new(problem, self.style().unwrap_or_default(), allow(caller))
    }

    /// The layout that the query asks for; none in the strict profile, which knows no such parameter.
    fn style(&self) -> Option<Style> {
        let lays_out = !self.policy.is_strict(Some(self.operation));
        lays_out.then(|| Style::asked_for(&self.call.target.query))
    }
}

// === impl Case ===

impl Case<'_> {
    /// What WordPress's own checks say.
    pub(super) fn checked(&self) -> &Checked {
        self.checked.get_or_init(|| {
            let readings = readings(
                self.operation,
                &self.parameters,
                self.policy.judge_context(self.caller),
            );
            check(self.operation, &self.parameters, &readings)
        })
    }

    /// What only the origin can judge; nothing where WordPress's checks were not asked.
    pub(super) fn deferred(&self) -> &[Deferred] {
        match self.checked.get() {
            Some(Checked::Passed { deferred } | Checked::RefusedByOrigin { deferred, .. }) => deferred,
            Some(Checked::Refused(_)) | None => &[],
        }
    }

    /// Whether the call must show credentials and shows none.
    pub(super) fn lacks_credentials(&self) -> bool {
        self.policy.lacks_credentials(self.operation, self.caller)
    }

    /// The refusal of this call.
    pub(super) fn refusal(&self, problem: Problem) -> Refusal {
        Refusal::new(problem, self.style, allow(self.caller))
    }
}

/// Anonymous callers pass GET on every route; what others pass is the origin's to say.
fn allow(caller: Caller) -> Allow {
    match caller {
        Caller::Anonymous => Allow::Get,
        Caller::Credentialed => Allow::Absent,
    }
}
