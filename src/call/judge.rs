//! One call judged: from bags to a verdict, top to bottom.

use std::collections::HashMap;

use http::{Method, StatusCode};

use super::caller::Caller;
use super::encode::{Encoding, contradicts_path, crashes_on_write, encode, encode_options, nonce};
use super::finding::Finding;
use super::phases::{Checked, Deferred, Reading, check, readings};
use super::reading::{RawCall, read_bags};
use super::strict::{check_shape, check_values};
use super::validated::ValidatedCall;
use crate::config::{Limits, Mode, OperationSettings, Profile, Settings, Writes};
use crate::contract::{Operation, OperationId, Route, obeyed, table};
use crate::payload::{Bags, Source};
use crate::problem::{Allow, Fault, InvalidParameter, Layout, Problem, Refusal, Style};
use crate::target::RouteMatch;
use crate::value::{PhpArray, Value};

/// Judges calls by the contract table and the settings. Pure: the same call gives the same judgement.
#[derive(Debug, Clone)]
pub struct Judge {
    mode: Mode,
    profile: Profile,
    writes: Writes,
    read_only: bool,
    allow_jsonp: bool,
    limits: Limits,
    public_namespaces: Vec<String>,
    origin_namespace: String,
    operations: HashMap<OperationId, OperationSettings>,
}

/// What becomes of a call, and what was found on the way.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// The operation; none where path or method lead to none.
    pub operation: Option<&'static Operation>,
    /// What was or, in report mode, would be refused.
    pub findings: Vec<Finding>,
    /// The mode that decided.
    pub mode: Mode,
    /// What happens now.
    pub outcome: Outcome,
}

/// What happens to a judged call.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It goes to the origin.
    Forward(Box<ValidatedCall>),
    /// The edge answers.
    Refuse(Refusal),
}

/// A call with its parts, for people who ask why.
#[derive(Debug)]
pub struct Explanation<'a> {
    /// Every argument with its reading, in declaration order.
    pub readings: Vec<Reading<'a>>,
    /// Who sends it.
    pub caller: Caller,
}

/// A call on its way through the judge.
struct Case<'a> {
    call: RawCall<'a>,
    matched: &'a RouteMatch,
    operation: &'static Operation,
    bags: Bags,
    caller: Caller,
    style: Style,
}

/// Why a case is not simply admitted.
enum Objection {
    /// Nothing of the call can be forwarded.
    Final(Problem),
    /// Report mode may forward it in spite of this.
    Waivable(Problem),
}

// === impl Judge ===

impl Judge {
    /// The judge these settings ask for.
    pub fn new(settings: &Settings) -> Self {
        Self {
            mode: settings.mode,
            profile: settings.profile,
            writes: settings.writes,
            read_only: settings.read_only,
            allow_jsonp: settings.allow_jsonp,
            limits: settings.limits.clone(),
            public_namespaces: settings.namespaces.clone(),
            origin_namespace: settings.origin.namespace.clone(),
            operations: settings.operations.clone(),
        }
    }

    /// Judges a call.
    pub fn judge(&self, call: &RawCall<'_>) -> Judgement {
        let style = Style::asked_for(&call.spot.query);
        if let Some(problem) = self.callback_problem(&call.spot.query) {
            return self.refused(None, problem, Refusal::plain);
        }
        let Some(matched) = &call.spot.matched else {
            return self.refused(None, no_route(call.method), |problem| {
                Refusal::new(problem, style, Allow::Absent)
            });
        };
        if *call.method == Method::OPTIONS {
            return self.describe(call, matched);
        }
        let Some(operation) = table().find(matched.route, call.method) else {
            return self.refused(None, Problem::NoRoute, |problem| {
                Refusal::new(problem, style, Allow::Absent)
            });
        };
        let bags = self
            .permitted(operation)
            .and_then(|()| read_bags(call, matched, &self.limits));
        match bags {
            Ok(bags) => {
                let caller = Caller::of(call.headers, nonce(call.method, &bags).is_some());
                self.judge_case(&Case {
                    call: *call,
                    matched,
                    operation,
                    bags,
                    caller,
                    style,
                })
            }
            Err(problem) => {
                let allow = allow(Caller::of(call.headers, false));
                self.refused(Some(operation), problem, |problem| {
                    Refusal::new(problem, style, allow)
                })
            }
        }
    }

    /// Reads a call's arguments for people who ask why it was judged as it was.
    ///
    /// # Errors
    /// What makes the call unreadable.
    pub fn explain<T>(
        &self,
        call: &RawCall<'_>,
        show: impl FnOnce(Option<Explanation<'_>>) -> T,
    ) -> Result<T, Problem> {
        let Some(matched) = &call.spot.matched else {
            return Ok(show(None));
        };
        let Some(operation) = table().find(matched.route, call.method) else {
            return Ok(show(None));
        };
        let bags = read_bags(call, matched, &self.limits)?;
        let caller = Caller::of(call.headers, nonce(call.method, &bags).is_some());
        Ok(show(Some(Explanation {
            readings: readings(operation, &bags, caller),
            caller,
        })))
    }

    /// The refusal for a target outside the calendar API, laid out as its query asks.
    pub fn refuse_elsewhere(&self, method: &Method, query: Option<&str>) -> Refusal {
        let query = crate::payload::parse_form(query.unwrap_or_default().as_bytes());
        Refusal::new(no_route(method), Style::asked_for(&query), Allow::Absent)
    }

    fn judge_case(&self, case: &Case<'_>) -> Judgement {
        let mode = self.mode_of(case.operation);
        let (deferred, objection) = self.objection(case, mode);
        let encoded = self.encode(case);
        let request = match (objection, encoded) {
            (Some(Objection::Final(problem)), _) | (None, Err(problem)) => {
                return self.refuse_case(case, problem);
            }
            (Some(Objection::Waivable(problem)), encoded) => match encoded {
                Ok(request) if mode != Mode::Enforce || case.is_origins_to_word() => {
                    let findings = Finding::of(&problem, case.operation);
                    return self.forward(case, request, deferred, findings);
                }
                Ok(_) | Err(_) => return self.refuse_case(case, problem),
            },
            (None, Ok(request)) => request,
        };
        self.forward(case, request, deferred, Vec::new())
    }

    /// The first thing that stands against a case, in WordPress's order; the edge's own rules come last.
    fn objection(&self, case: &Case<'_>, mode: Mode) -> (Vec<Deferred>, Option<Objection>) {
        if let Some(problem) = self.crash(case) {
            return (Vec::new(), Some(Objection::Final(problem)));
        }
        let strict = mode != Mode::Off && self.profile_of(case.operation) == Profile::Strict;
        let misshapen = || check_shape(&case.call, case.matched, case.operation);
        if let Some(problem) = strict.then(misshapen).flatten() {
            return (Vec::new(), Some(Objection::Waivable(problem)));
        }
        let checked = match mode {
            Mode::Off => Checked::Passed { deferred: Vec::new() },
            Mode::Enforce | Mode::Report => check(
                case.operation,
                &case.bags,
                &readings(case.operation, &case.bags, case.caller),
            ),
        };
        let deferred = match checked {
            Checked::Refused(problem) => return (Vec::new(), Some(Objection::Waivable(problem))),
            Checked::Passed { deferred } | Checked::RefusedByOrigin { deferred } => deferred,
        };
        if let Some(problem) = strict.then(|| check_values(case.operation, &case.bags)).flatten() {
            return (deferred, Some(Objection::Waivable(problem)));
        }
        if contradicts_path(case.matched, &case.bags) {
            return (deferred, Some(Objection::Final(PATH_CONTRADICTION)));
        }
        let anonymous_write = case.operation.is_write() && case.caller == Caller::Anonymous;
        if anonymous_write && self.writes == Writes::Credentials {
            return (deferred, Some(Objection::Waivable(Problem::Forbidden)));
        }
        (deferred, None)
    }

    fn encode(&self, case: &Case<'_>) -> Result<super::CanonicalRequest, Problem> {
        let settings = self.operations.get(&case.operation.id);
        let extra = settings.map_or(&[][..], |settings| &settings.extra_parameters);
        let encoding = Encoding {
            namespace: &self.origin_namespace,
            extra,
        };
        encode(&case.call, case.matched, case.operation, &case.bags, encoding)
    }

    fn describe(&self, call: &RawCall<'_>, matched: &RouteMatch) -> Judgement {
        let mut bags = Bags::default();
        bags.add(Source::Query, call.spot.query.clone());
        let request = encode_options(call, matched, &bags, &self.origin_namespace);
        let call = ValidatedCall {
            caller: Caller::of(call.headers, request.nonce.is_some()),
            request,
            operation: None,
            deferred: Vec::new(),
            javascript: self.is_script(&call.spot.query),
        };
        Judgement {
            operation: None,
            findings: Vec::new(),
            mode: self.mode,
            outcome: Outcome::Forward(Box::new(call)),
        }
    }

    fn permitted(&self, operation: &Operation) -> Result<(), Problem> {
        if self
            .operations
            .get(&operation.id)
            .is_some_and(|settings| settings.deny)
        {
            return Err(DENIED);
        }
        if self.read_only && operation.is_write() {
            return Err(READ_ONLY);
        }
        Ok(())
    }

    fn profile_of(&self, operation: &Operation) -> Profile {
        self.operations
            .get(&operation.id)
            .and_then(|settings| settings.profile)
            .unwrap_or(self.profile)
    }

    fn mode_of(&self, operation: &Operation) -> Mode {
        self.operations
            .get(&operation.id)
            .and_then(|settings| settings.mode)
            .unwrap_or(self.mode)
    }

    fn callback_problem(&self, query: &PhpArray) -> Option<Problem> {
        let is_name = |text: &[u8]| {
            text.iter()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.'))
        };
        match query.get("_jsonp")? {
            Value::String(name) if !is_name(name) => Some(Problem::InvalidCallback),
            Value::String(name) if name.is_empty() || self.allow_jsonp => None,
            Value::String(_) => Some(Problem::CallbackDisabled),
            _ => Some(Problem::InvalidCallback),
        }
    }

    fn is_script(&self, query: &PhpArray) -> bool {
        self.allow_jsonp
            && query
                .get("_jsonp")
                .and_then(Value::as_text)
                .is_some_and(|name| !name.is_empty())
    }

    /// Values known to crash PHP where the validators do not see them, and namespaces that are not ours.
    fn crash(&self, case: &Case<'_>) -> Option<Problem> {
        if let Some(name) = crashes_on_write(case.operation, &case.bags) {
            return Some(invalid(name));
        }
        let array = |name: &&&'static str| matches!(case.bags.get(name), Some((_, Value::Array(_))));
        if let Some(name) = obeyed(case.operation.id)
            .iter()
            .filter(|name| **name == "password")
            .find(array)
        {
            return Some(invalid(name));
        }
        if case.matched.route != Route::Index {
            return None;
        }
        match case.bags.get("namespace")?.1 {
            Value::String(name) if self.is_public(name) => None,
            Value::Array(_) => Some(invalid("namespace")),
            _ => Some(Problem::InvalidNamespace),
        }
    }

    fn is_public(&self, namespace: &[u8]) -> bool {
        self.public_namespaces
            .iter()
            .any(|public| public.as_bytes() == namespace)
    }

    fn forward(
        &self,
        case: &Case<'_>,
        request: super::CanonicalRequest,
        deferred: Vec<Deferred>,
        findings: Vec<Finding>,
    ) -> Judgement {
        let call = ValidatedCall {
            request,
            operation: Some(case.operation),
            caller: case.caller,
            deferred,
            javascript: self.is_script(&case.call.spot.query),
        };
        Judgement {
            operation: Some(case.operation),
            findings,
            mode: self.mode_of(case.operation),
            outcome: Outcome::Forward(Box::new(call)),
        }
    }

    fn refuse_case(&self, case: &Case<'_>, problem: Problem) -> Judgement {
        self.refused(Some(case.operation), problem, |problem| {
            Refusal::new(problem, case.style, allow(case.caller))
        })
    }

    fn refused(
        &self,
        operation: Option<&'static Operation>,
        problem: Problem,
        answer: impl FnOnce(Problem) -> Refusal,
    ) -> Judgement {
        let findings = operation.map_or_else(
            || vec![Finding::unplaced(&problem)],
            |known| Finding::of(&problem, known),
        );
        let mode = operation.map_or(self.mode, |known| self.mode_of(known));
        Judgement {
            operation,
            findings,
            mode,
            outcome: Outcome::Refuse(answer(problem)),
        }
    }
}

// === impl Case ===

impl Case<'_> {
    /// In an envelope an error names the `Allow` header, which for callers with credentials only the origin
    /// knows.
    fn is_origins_to_word(&self) -> bool {
        self.style.enveloped && self.caller == Caller::Credentialed
    }
}

// === impl Style ===

impl Style {
    /// What `_pretty` and `_envelope` of a query ask for; any value counts, an array too.
    fn asked_for(query: &PhpArray) -> Self {
        let layout = if query.get("_pretty").is_some() {
            Layout::Pretty
        } else {
            Layout::Compact
        };
        Self {
            layout,
            enveloped: query.get("_envelope").is_some(),
        }
    }
}

fn no_route(method: &Method) -> Problem {
    if method == Method::OPTIONS {
        Problem::NothingToDescribe
    } else {
        Problem::NoRoute
    }
}

/// Anonymous callers pass GET on every route; what others pass is the origin's to say.
fn allow(caller: Caller) -> Allow {
    match caller {
        Caller::Anonymous => Allow::Get,
        Caller::Credentialed => Allow::Absent,
    }
}

fn invalid(name: &'static str) -> Problem {
    Problem::Invalid(vec![InvalidParameter {
        name,
        fault: Fault::Invalid,
    }])
}

const PATH_CONTRADICTION: Problem = Problem::edge(
    StatusCode::BAD_REQUEST,
    "edge_path_contradiction",
    "A parameter of the path is repeated with another value.",
);

const DENIED: Problem = Problem::edge(
    StatusCode::FORBIDDEN,
    "edge_operation_denied",
    "This operation is not offered here.",
);

const READ_ONLY: Problem = Problem::edge(
    StatusCode::FORBIDDEN,
    "edge_read_only",
    "The calendar is read-only at the moment.",
);
