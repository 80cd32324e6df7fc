//! Which backends would answer a call, for which clients, and which ones get a copy.

use calendar_edge_core::migration::CopyTo;
use calendar_edge_core::migration::cutover::{CutoverCall, CutoverPlan};
use calendar_edge_core::settings::{
    BackendSettings, CredentialsPolicy, CutoverRule, PRIMARY, Percentage, Settings,
};
use calendar_edge_judge::call::ForwardableCall;
use calendar_edge_judge::call::credentials::Caller;
use serde::Serialize;

/// A backend that answers a call for some clients, or gets a copy of it.
#[derive(Debug, Serialize, PartialEq, Eq)]
pub(super) struct BackendStory {
    /// The name of the backend; `origin` is the site.
    pub(super) backend: String,
    /// `answers` or `gets a copy`.
    pub(super) role: &'static str,
    /// The clients or calls.
    pub(super) share: String,
    /// Why.
    pub(super) why: String,
}

// === impl BackendStory ===

impl BackendStory {
    /// All backends of a call, in the order in which they take clients; none if the settings have no further backend.
    /// Guards and steps of a running edge are not known here.
    pub(super) fn all(call: &ForwardableCall, settings: &Settings) -> Vec<Self> {
        if settings.backends.is_empty() {
            return Vec::new();
        }
        let rules = rules_about(call, settings);
        let takes_all = rules
            .iter()
            .position(|rule| *rule_share(rule).0 == Percentage::ALL);
        let mut all: Vec<Self> = match takes_all {
            Some(last) => rules
                .iter()
                .take(last + 1)
                .map(|rule| Self::by(rule, call, settings))
                .collect(),
            None => rules
                .iter()
                .map(|rule| Self::by(rule, call, settings))
                .chain([Self::primary(rules.is_empty())])
                .collect(),
        };
        all.extend(Self::copies(call, settings));
        all
    }

    fn by(rule: &CutoverRule, call: &ForwardableCall, settings: &Settings) -> Self {
        let (share, steps) = rule_share(rule);
        Self {
            backend: rule.backend.clone(),
            role: "answers",
            share: format!("{share} of the clients"),
            why: format!(
                "rule {}{steps}{}",
                rule.name,
                credentials(&rule.backend, call, settings)
            ),
        }
    }

    fn primary(is_alone: bool) -> Self {
        let (share, why) = if is_alone {
            ("all clients", "no rule of [[cutover]] is about the call")
        } else {
            ("the other clients", "no rule takes them")
        };
        Self {
            backend: PRIMARY.to_owned(),
            role: "answers",
            share: share.to_owned(),
            why: why.to_owned(),
        }
    }

    fn copies(call: &ForwardableCall, settings: &Settings) -> Vec<Self> {
        let Some(asked) = asked(call).filter(|_| call.validated().is_some()) else {
            return Vec::new();
        };
        let rules = settings
            .shadow
            .iter()
            .filter(|rule| rule.is_about(&asked.operation.name) && CopyTo::of(rule, asked, None).is_some());
        rules
            .map(|rule| Self {
                backend: rule.backend.clone(),
                role: "gets a copy",
                share: format!("{} of the calls", rule.share),
                why: format!("rule of [[shadow]]{}", credentials(&rule.backend, call, settings)),
            })
            .collect()
    }
}

/// The backend that answers a call of all clients, or the site.
pub(super) fn answering(call: &ForwardableCall, settings: &Settings) -> BackendSettings {
    let first = rules_about(call, settings).into_iter().next();
    let first = first.filter(|rule| *rule_share(rule).0 == Percentage::ALL);
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

/// The share with which a rule begins, and what to say of its steps.
fn rule_share(rule: &CutoverRule) -> (&Percentage, &'static str) {
    match rule.steps.first() {
        Some(first) => (first, ", at its first step"),
        None => (&rule.share, ""),
    }
}
