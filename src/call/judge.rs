//! One call judged: from bags to a verdict, top to bottom.

use std::sync::Arc;

use http::Method;

use super::caller::{Caller, is_nonce_first};
use super::canonical::CanonicalRequest;
use super::encode::{encode, encode_options, nonce};
use super::expected::ExpectedAnswer;
use super::finding::Finding;
use super::lasting::lasting;
use super::phases::{Checked, Deferred, Reading, check, readings};
use super::policy::{AUTHOR_DENIED, Policy};
use super::reading::{RawCall, read_bags};
use super::strict::{check_media, check_shape, check_values, path_holds, refuse_method};
use super::validated::ValidatedCall;
use crate::contract::{Operation, table};
use crate::payload::{Bags, Source};
use crate::problem::{Allow, Problem, Refusal, Style};
use crate::settings::{Mode, Profile, Settings};
use crate::target::RouteMatch;

/// Judges calls by the contract table and the settings. Pure: the same call gives the same judgement.
#[derive(Debug, Clone)]
pub struct Judge {
    policy: Policy,
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
    /// Everything that was sent, declared or not.
    pub bags: &'a Bags,
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
    is_nonce_first: bool,
    style: Style,
}

/// What stands against a case.
#[derive(Default)]
struct Objections {
    /// What report mode lets pass.
    waivable: Option<Waivable>,
    /// What is forwarded in no mode: contradictions and values that crash PHP.
    lasting: Option<Problem>,
    /// What only the origin can judge.
    deferred: Vec<Deferred>,
}

/// What is refused, unless the mode only reports.
enum Waivable {
    /// The origin would refuse it too.
    Shared(Problem),
    /// The edge alone refuses it: the strict profile, or a write without credentials.
    Own(Problem),
}

// === impl Judge ===

impl Judge {
    /// The judge these settings ask for.
    pub fn new(settings: &Settings) -> Self {
        Self {
            policy: Policy::new(settings),
        }
    }

    /// How a call's credentials are read, which is known before its body is.
    pub fn profile(&self, method: &Method, matched: Option<&RouteMatch>) -> Profile {
        let operation = matched.and_then(|matched| table().find(matched.route, method));
        if self.policy.is_strict(operation) && self.policy.mode(operation) == Mode::Enforce {
            Profile::Strict
        } else {
            Profile::Compatible
        }
    }

    /// Judges a call; a refusal is worded as its root's site would.
    pub fn judge(&self, call: &RawCall<'_>) -> Judgement {
        let mut judgement = self.weigh(call);
        if let Outcome::Refuse(refusal) = judgement.outcome {
            let refusal = refusal.in_words(self.policy.words(call.spot.root));
            judgement.outcome = Outcome::Refuse(refusal);
        }
        judgement
    }

    fn weigh(&self, call: &RawCall<'_>) -> Judgement {
        let profile = self.profile(call.method, call.spot.matched.as_ref());
        // To the strict profile it is a name like all others that are not declared.
        let callback = self.policy.callback_problem(&call.spot.query);
        if let Some(problem) = callback.filter(|_| profile == Profile::Compatible) {
            return self.refused(None, Refusal::plain(problem));
        }
        let Some((matched, operation)) = Self::find(call) else {
            return self.refused(None, self.unfound(call));
        };
        let Some(operation) = operation else {
            return self.describe(call, matched);
        };
        // The strict profile knows no parameter that lays answers out.
        let lays_out = !self.policy.is_strict(Some(operation));
        let style = lays_out.then(|| Style::asked_for(&call.spot.query));
        let media = check_media(call, operation).filter(|_| profile == Profile::Strict);
        let offered = self.policy.offers(operation).and(media.map_or(Ok(()), Err));
        let bags = match offered.and_then(|()| read_bags(call, matched, &self.policy.limits)) {
            Ok(bags) => bags,
            Err(problem) => {
                let allow = allow(Caller::of(call.headers, false));
                return self.refused(
                    Some(operation),
                    Refusal::new(problem, style.unwrap_or_default(), allow),
                );
            }
        };
        let has_nonce = nonce(call.method, &bags).is_some();
        let style = style
            .map(|style| style.or_asked_for_in(&bags))
            .unwrap_or_default();
        self.judge_case(&Case {
            call: *call,
            matched,
            operation,
            caller: Caller::of(call.headers, has_nonce),
            is_nonce_first: is_nonce_first(call.headers, has_nonce),
            bags,
            style,
        })
    }

    /// Reads a call's arguments for people who ask why it was judged as it was; `show` gets nothing where
    /// path and method lead to no operation.
    ///
    /// # Errors
    /// What makes the call unreadable.
    pub fn explain<T>(
        &self,
        call: &RawCall<'_>,
        show: impl FnOnce(Option<Explanation<'_>>) -> T,
    ) -> Result<T, Problem> {
        let Some((matched, Some(operation))) = Self::find(call) else {
            return Ok(show(None));
        };
        let bags = read_bags(call, matched, &self.policy.limits)?;
        let caller = Caller::of(call.headers, nonce(call.method, &bags).is_some());
        Ok(show(Some(Explanation {
            readings: readings(operation, &bags, self.policy.premises(caller)),
            bags: &bags,
            caller,
        })))
    }

    /// The refusal for a target outside the calendar API but below this root, laid out as its query asks.
    pub fn refuse_elsewhere(&self, root: Option<usize>, method: &Method, query: Option<&str>) -> Refusal {
        let refusal = if self.policy.is_strict(None) {
            Refusal::no_route()
        } else {
            let query = crate::payload::parse_form(query.unwrap_or_default().as_bytes());
            Refusal::new(no_route(method), Style::asked_for(&query), Allow::Absent)
        };
        match root {
            Some(root) => refusal.in_words(self.policy.words(root)),
            None => refusal,
        }
    }

    /// The route of a call and the operation its method stands for; OPTIONS, on every route, stands for none.
    fn find<'a>(call: &RawCall<'a>) -> Option<(&'a RouteMatch, Option<&'static Operation>)> {
        let matched = call.spot.matched.as_ref()?;
        if *call.method == Method::OPTIONS {
            return Some((matched, None));
        }
        Some((matched, Some(table().find(matched.route, call.method)?)))
    }

    /// Weighs what stands against a case, and forwards what may be forwarded.
    fn judge_case(&self, case: &Case<'_>) -> Judgement {
        let request = encode(
            &case.call,
            case.matched,
            case.operation,
            &case.bags,
            self.policy.encoding(case.operation),
        );
        let reports = self.policy.mode(Some(case.operation)) != Mode::Enforce;
        let Objections {
            waivable,
            lasting,
            deferred,
        } = self.objections(case);
        match (waivable, lasting, request) {
            (None, None, Ok(request)) => self.forward(case, request, deferred, Vec::new()),
            (Some(objection), None, Ok(request)) if reports || objection.is_origins_to_word(case) => {
                let findings = Finding::of(objection.problem(), case.operation);
                self.forward(case, request, deferred, findings)
            }
            (Some(Waivable::Shared(problem) | Waivable::Own(problem)), _, _)
            | (None, Some(problem), _)
            | (None, None, Err(problem)) => self.refuse_case(case, problem),
        }
    }

    /// Everything that stands against a case: the phases in WordPress's order, then the edge's own rules.
    fn objections(&self, case: &Case<'_>) -> Objections {
        let mut objections = Objections {
            lasting: lasting(&self.policy, case.matched, case.operation, &case.bags),
            ..Objections::default()
        };
        if self.policy.mode(Some(case.operation)) == Mode::Off {
            return objections;
        }
        let strict = self.policy.is_strict(Some(case.operation));
        if strict {
            let problem = check_shape(&case.call, case.operation, &self.policy);
            objections.waivable = problem.map(Waivable::Own);
        }
        if objections.waivable.is_none() {
            let readings = readings(case.operation, &case.bags, self.policy.premises(case.caller));
            match check(case.operation, &case.bags, &readings) {
                Checked::Refused(problem) => objections.waivable = Some(Waivable::Shared(problem)),
                // No write without credentials gets as far as the origin's words.
                Checked::RefusedByOrigin { supposed, .. }
                    if self.policy.lacks_credentials(case.operation, case.caller) =>
                {
                    objections.waivable = Some(Waivable::Shared(supposed));
                }
                Checked::Passed { deferred } | Checked::RefusedByOrigin { deferred, .. } => {
                    objections.deferred = deferred;
                }
            }
        }
        if strict && objections.waivable.is_none() {
            objections.waivable = check_values(case.operation, &case.bags).map(Waivable::Own);
        }
        if objections.waivable.is_none() && self.policy.refuses_author(case.operation, &case.bags) {
            objections.waivable = Some(Waivable::Own(AUTHOR_DENIED));
        }
        if objections.waivable.is_none() && self.policy.lacks_credentials(case.operation, case.caller) {
            objections.waivable = Some(Waivable::Own(Problem::Forbidden));
        }
        objections
    }

    /// The refusal of a call that leads to no operation. WordPress knows no 405; the strict profile does.
    fn unfound(&self, call: &RawCall<'_>) -> Refusal {
        if !self.policy.is_strict(None) {
            let style = Style::asked_for(&call.spot.query);
            return Refusal::new(no_route(call.method), style, Allow::Absent);
        }
        match &call.spot.matched {
            Some(matched) if path_holds(call, matched, &self.policy) => {
                refuse_method(call.method, matched.route)
            }
            _ => Refusal::no_route(),
        }
    }

    /// OPTIONS is answered by the origin, which alone knows what the caller may do; the strict profile keeps
    /// the origin's description of itself from everybody.
    fn describe(&self, call: &RawCall<'_>, matched: &RouteMatch) -> Judgement {
        let mut findings = Vec::new();
        let mode = self.policy.mode(None);
        if self.policy.is_strict(None) && mode != Mode::Off {
            let refusal = self.unfound(call);
            if mode == Mode::Enforce {
                return self.refused(None, refusal);
            }
            findings.push(Finding::unplaced(refusal.problem()));
        }
        let mut bags = Bags::default();
        bags.add(Source::Query, Arc::clone(&call.spot.query));
        let request = encode_options(call, matched, &bags, self.policy.origin_namespace());
        let caller = Caller::of(call.headers, request.nonce.is_some());
        let call = ValidatedCall {
            request,
            operation: None,
            deferred: Vec::new(),
            answer: ExpectedAnswer::to(call, caller, &self.policy),
        };
        Judgement {
            operation: None,
            findings,
            mode,
            outcome: Outcome::Forward(Box::new(call)),
        }
    }

    fn forward(
        &self,
        case: &Case<'_>,
        request: CanonicalRequest,
        deferred: Vec<Deferred>,
        findings: Vec<Finding>,
    ) -> Judgement {
        let call = ValidatedCall {
            request,
            operation: Some(case.operation),
            deferred,
            answer: ExpectedAnswer::to(&case.call, case.caller, &self.policy),
        };
        let mode = self.policy.mode(Some(case.operation));
        Judgement {
            operation: Some(case.operation),
            findings,
            mode,
            outcome: Outcome::Forward(Box::new(call)),
        }
    }

    fn refuse_case(&self, case: &Case<'_>, problem: Problem) -> Judgement {
        self.refused(
            Some(case.operation),
            Refusal::new(problem, case.style, allow(case.caller)),
        )
    }

    fn refused(&self, operation: Option<&'static Operation>, refusal: Refusal) -> Judgement {
        let findings = match operation {
            Some(operation) => Finding::of(refusal.problem(), operation),
            None => vec![Finding::unplaced(refusal.problem())],
        };
        Judgement {
            operation,
            findings,
            mode: self.policy.mode(operation),
            outcome: Outcome::Refuse(refusal),
        }
    }
}

// === impl Waivable ===

impl Waivable {
    fn problem(&self) -> &Problem {
        match self {
            Self::Shared(problem) | Self::Own(problem) => problem,
        }
    }

    /// In an envelope an error names the `Allow` header, which for callers with credentials only the origin
    /// knows. What a nonce is worth it says before all else.
    fn is_origins_to_word(&self, case: &Case<'_>) -> bool {
        let is_shared = matches!(self, Self::Shared(_));
        let names_allow = case.style.enveloped && case.caller == Caller::Credentialed;
        is_shared && (names_allow || case.is_nonce_first)
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
