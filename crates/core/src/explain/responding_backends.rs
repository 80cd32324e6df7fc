//! The backends that would respond to a call, the clients of each, and the backends that get a copy.

use serde_json::{Value, json};

use super::basis::Basis;
use crate::migration::cutover::{CutoverCall, CutoverPlan};
use crate::migration::{CopyTo, first_about};
use crate::settings::{BackendSettings, CredentialsPolicy, CutoverRule, PRIMARY, Percentage, Settings};
use calendar_edge_judge::call::ForwardableCall;
use calendar_edge_judge::call::credentials::Caller;

const RESPONDS: &str = "responds";

/// All backends of a call, in the order in which they take clients; none if the settings have no further backend.
pub(super) fn backends(call: &ForwardableCall, basis: &Basis<'_>) -> Vec<Value> {
    let settings = basis.settings;
    if settings.backends.is_empty() {
        return Vec::new();
    }
    let mut all = Vec::new();
    let (mut others, mut why) = ("all clients", "no rule of [[cutover]] is about the call");
    for rule in rules_about(call, settings) {
        all.push(responds_by(&rule, call, basis));
        why = "no rule takes them";
        if basis.returned.contains_key(&rule.name) {
            continue;
        }
        others = "the other clients";
        if rule.share == Percentage::ALL {
            all.extend(copies(call, settings));
            return all;
        }
    }
    all.push(row(PRIMARY, RESPONDS, others, why));
    all.extend(copies(call, settings));
    all
}

/// A backend, what it does, for which clients or calls, and why.
fn row(backend: &str, role: &str, share: &str, why: &str) -> Value {
    json!({"backend": backend, "role": role, "share": share, "why": why})
}

fn responds_by(rule: &CutoverRule, call: &ForwardableCall, basis: &Basis<'_>) -> Value {
    let (name, backend) = (&rule.name, &rule.backend);
    if let Some(reason) = basis.returned.get(name) {
        let why = format!("rule {name} is returned to the site: {reason}");
        return row(backend, RESPONDS, "no client", &why);
    }
    let credentials = credentials(backend, call, basis.settings);
    let why = format!("rule {name}{credentials}");
    row(backend, RESPONDS, &format!("{} of the clients", rule.share), &why)
}

fn copies(call: &ForwardableCall, settings: &Settings) -> Vec<Value> {
    let validated = call.validated().filter(|call| !call.expects_javascript);
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
            row(&rule.backend, "gets a copy", &share, &why)
        })
        .collect()
}

/// The backend that responds to a call of all clients, or the site.
pub(super) fn responding(call: &ForwardableCall, basis: &Basis<'_>) -> BackendSettings {
    let mut rules = rules_about(call, basis.settings).into_iter();
    let first = rules.find(|rule| !basis.returned.contains_key(&rule.name));
    let first = first.filter(|rule| rule.share == Percentage::ALL);
    let backend = first.and_then(|rule| basis.settings.backend(&rule.backend));
    backend.unwrap_or_else(|| basis.settings.site())
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
        is_personal: call.expects_privacy,
    })
}

/// The sentence about the credentials of a call, if a backend does not get them as they are.
fn credentials(backend: &str, call: &ForwardableCall, settings: &Settings) -> &'static str {
    let is_known = call.credentials().caller(call.request().nonce.as_ref()) == Caller::Credentialed;
    let backend = settings.backend(backend);
    match backend.filter(|_| is_known).map(|backend| backend.credentials) {
        Some(CredentialsPolicy::Identity) => {
            ", with the identity of the caller, which the edge reads from the site, instead of credentials"
        }
        Some(CredentialsPolicy::Forward | CredentialsPolicy::Withhold) | None => "",
    }
}
