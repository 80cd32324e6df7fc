//! Which backends would answer a call, for which clients, and which ones get a copy.

use calendar_edge_core::migration::cutover::{CutoverCall, CutoverPlan};
use calendar_edge_core::migration::{CopyTo, first_about};
use calendar_edge_core::settings::{
    BackendSettings, CredentialsPolicy, CutoverRule, PRIMARY, Percentage, Settings,
};
use calendar_edge_judge::call::ForwardableCall;
use calendar_edge_judge::call::credentials::Caller;
use serde_json::{Value, json};

/// All backends of a call, in the order in which they take clients; none if the settings have no further backend. Guards
/// of a running edge are not known here.
pub(super) fn backends(call: &ForwardableCall, settings: &Settings) -> Vec<Value> {
    if settings.backends.is_empty() {
        return Vec::new();
    }
    let rules = rules_about(call, settings);
    let takes_all = rules.iter().position(|rule| rule.share == Percentage::ALL);
    let taking = takes_all.map_or(rules.len(), |last| last + 1);
    let mut all: Vec<Value> = rules
        .iter()
        .take(taking)
        .map(|rule| answers_by(rule, call, settings))
        .collect();
    if takes_all.is_none() {
        all.push(if rules.is_empty() {
            told(
                PRIMARY,
                ANSWERS,
                "all clients",
                "no rule of [[cutover]] is about the call",
            )
        } else {
            told(PRIMARY, ANSWERS, "the other clients", "no rule takes them")
        });
    }
    all.extend(copies(call, settings));
    all
}

const ANSWERS: &str = "answers";

/// A backend, what it does, for which clients or calls, and why.
fn told(backend: &str, role: &str, share: &str, why: &str) -> Value {
    json!({"backend": backend, "role": role, "share": share, "why": why})
}

fn answers_by(rule: &CutoverRule, call: &ForwardableCall, settings: &Settings) -> Value {
    let credentials = credentials(&rule.backend, call, settings);
    let why = format!("rule {}{credentials}", rule.name);
    told(
        &rule.backend,
        ANSWERS,
        &format!("{} of the clients", rule.share),
        &why,
    )
}

fn copies(call: &ForwardableCall, settings: &Settings) -> Vec<Value> {
    let validated = call.validated().filter(|call| !call.expects_javascript());
    let Some(asked) = asked(call).filter(|_| validated.is_some()) else {
        return Vec::new();
    };
    let rules = settings.shadow.iter().map(|rule| (rule, ()));
    first_about(rules, &asked.operation.name)
        .into_iter()
        .filter(|(rule, ())| CopyTo::of(rule, asked, None).is_some())
        .map(|(rule, ())| {
            let why = format!("rule of [[shadow]]{}", credentials(&rule.backend, call, settings));
            let share = format!("{} of the calls", rule.share);
            told(&rule.backend, "gets a copy", &share, &why)
        })
        .collect()
}

/// The backend that answers a call of all clients, or the site.
pub(super) fn answering(call: &ForwardableCall, settings: &Settings) -> BackendSettings {
    let first = rules_about(call, settings).into_iter().next();
    let first = first.filter(|rule| rule.share == Percentage::ALL);
    let backend = first.and_then(|rule| settings.backend(&rule.backend));
    backend.unwrap_or_else(|| settings.site())
}

fn rules_about(call: &ForwardableCall, settings: &Settings) -> Vec<CutoverRule> {
    let Some((plan, asked)) = CutoverPlan::new(settings).zip(asked(call)) else {
        return Vec::new();
    };
    plan.rules_about(asked).map(|(_, rule)| rule.clone()).collect()
}

fn asked(call: &ForwardableCall) -> Option<CutoverCall<'_>> {
    Some(CutoverCall {
        operation: call.operation()?,
        root: call.request().root,
        is_personal: call.expects_privacy(),
    })
}

/// What to say of the credentials of a call, if a backend does not get them as they are.
fn credentials(backend: &str, call: &ForwardableCall, settings: &Settings) -> &'static str {
    let is_known = call.credentials().caller(call.request().nonce.as_ref()) == Caller::Credentialed;
    let backend = settings.backend(backend);
    match backend.filter(|_| is_known).map(|backend| backend.credentials) {
        Some(CredentialsPolicy::Identity) => {
            ", with the identity of the caller, for which the site is asked, instead of credentials"
        }
        Some(CredentialsPolicy::Forward | CredentialsPolicy::Withhold) | None => "",
    }
}
