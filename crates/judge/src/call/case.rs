//! A call of an operation: on arrival, and with its arguments read.

use std::cell::OnceCell;
use std::ops::Deref;

use super::nonce::nonce;
use super::reading::{RawCall, read_parameters};
use super::rules::JudgeContext;
use super::wordpress::{Checked, Deferred, check, readings};
use crate::call::credentials::Caller;
use crate::contract::{Operation, OperationInForce, TableInForce};
use crate::policy::{Mode, Policy};
use crate::problem::{Allow, Problem, Refusal, Style};
use crate::routing::RouteMatch;
use crate::wordpress::payload::Parameters;

/// A call of an operation whose body has not been read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arrival<'a> {
    pub(super) call: &'a RawCall<'a>,
    pub(super) matched: &'a RouteMatch,
    pub(super) operation: &'static Operation,
    pub(super) policy: &'a Policy,
    /// The table of the site of the call's root.
    pub(super) table: &'a TableInForce,
}

/// A call whose arguments have been read.
#[derive(Debug)]
pub(super) struct Case<'a> {
    arrival: Arrival<'a>,
    /// Decides whether an objection refuses the call.
    pub(super) mode: Mode,
    pub(super) parameters: Parameters,
    pub(super) caller: Caller,
    pub(super) is_nonce_first: bool,
    pub(super) style: Style,
    /// The result of WordPress's checks; filled by the first phase that needs it.
    checked: OnceCell<Checked>,
}

// === impl Arrival ===

impl<'a> Arrival<'a> {
    /// Reads path, query and body.
    ///
    /// # Errors
    /// The reason why the body cannot be read.
    pub(super) fn read(self) -> Result<Case<'a>, Problem> {
        let Self { call, policy, .. } = self;
        let parameters = read_parameters(call, self.matched)?;
        let nonce = nonce(call, &parameters);
        let style = self.style().map(|style| style.with_parameters(&parameters));
        Ok(Case {
            arrival: self,
            mode: policy.mode(Some(self.operation)),
            caller: call.credentials.caller(nonce.as_ref()),
            is_nonce_first: call.credentials.is_nonce_first(nonce.as_ref()),
            parameters,
            style: style.unwrap_or_default(),
            checked: OnceCell::new(),
        })
    }

    /// The refusal of a call whose body was not read.
    pub(super) fn refusal(&self, problem: Problem) -> Refusal {
        let caller = self.call.credentials.caller(None);
        Refusal::new(problem, self.style().unwrap_or_default(), allow(caller))
    }

    /// The layout that the query names; `None` in the strict profile, which has no such parameter.
    fn style(&self) -> Option<Style> {
        let lays_out = !self.policy.is_strict(Some(self.operation));
        lays_out.then(|| Style::of_query(&self.call.target.query))
    }
}

// === impl Case ===

impl<'a> Deref for Case<'a> {
    type Target = Arrival<'a>;

    fn deref(&self) -> &Arrival<'a> {
        &self.arrival
    }
}

impl Case<'_> {
    /// The result of WordPress's own checks.
    pub(super) fn checked(&self) -> &Checked {
        self.checked.get_or_init(|| {
            let readings = readings(
                self.operation,
                self.in_force(),
                &self.parameters,
                JudgeContext::new(self.caller, self.policy, self.table),
            );
            check(&self.parameters, &readings)
        })
    }

    /// The operation as its site publishes it.
    pub(super) fn in_force(&self) -> &OperationInForce {
        self.table.operation(self.operation)
    }

    /// The arguments that only the origin can judge; empty if WordPress's checks did not run.
    pub(super) fn deferred(&self) -> &[Deferred] {
        match self.checked.get() {
            Some(Checked::Passed { deferred } | Checked::RefusedByOrigin { deferred, .. }) => deferred,
            Some(Checked::Refused(_)) | None => &[],
        }
    }

    /// Returns true if the arguments were judged, and the site is to word the refusal.
    pub(super) fn is_refused_by_origin(&self) -> bool {
        matches!(self.checked.get(), Some(Checked::RefusedByOrigin { .. }))
    }

    /// Returns true if the call must carry credentials and carries none.
    pub(super) fn lacks_credentials(&self) -> bool {
        self.policy.lacks_credentials(self.operation, self.caller)
    }

    /// The refusal of this call.
    pub(super) fn refusal(&self, problem: Problem) -> Refusal {
        Refusal::new(problem, self.style, allow(self.caller))
    }
}

/// The `Allow` header of a refusal. Anonymous callers may use GET on every route; only the origin has the methods of
/// other callers.
fn allow(caller: Caller) -> Allow {
    match caller {
        Caller::Anonymous => Allow::Get,
        Caller::Credentialed => Allow::Absent,
    }
}
