//! Rules about backends that contradict other settings.

use super::draft::Placed;
use super::nearest::nearest;
use super::problem::{ConfigFinding, ConfigPlace, ConfigProblems, Impossible};
use calendar_edge_core::migration::cutover::split_stores;
use calendar_edge_core::settings::{CandidateSettings, CredentialsPolicy, CutoverRule, Settings, ShadowRule};

/// Backends that get identities have a secret to verify them by.
pub(super) fn identities(backends: &[Placed<CandidateSettings>], problems: &mut ConfigProblems) {
    for backend in backends {
        let CandidateSettings {
            credentials,
            identity_secret_file,
            ..
        } = &backend.value;
        if *credentials == CredentialsPolicy::Identity && identity_secret_file.is_none() {
            let finding =
                ConfigFinding::impossible("backends.credentials", Impossible::IdentityWithoutSecret);
            problems.add(backend.places.of("backends.credentials"), finding);
        }
    }
}

/// The backends of shadow rules exist.
pub(super) fn shadow_backends(
    rules: &[Placed<ShadowRule>],
    backends: &[CandidateSettings],
    problems: &mut ConfigProblems,
) {
    for rule in rules {
        if let Some(place) = rule.places.typed("shadow.backend")
            && let Some(finding) = unknown_backend("shadow.backend", &rule.value.backend, backends)
        {
            problems.add(place, finding);
        }
    }
}

/// The names of rules differ, and their backends exist.
pub(super) fn cutover_rules(
    rules: &[Placed<CutoverRule>],
    backends: &[CandidateSettings],
    problems: &mut ConfigProblems,
) {
    for (index, rule) in rules.iter().enumerate() {
        let CutoverRule { name, backend, .. } = &rule.value;
        let mut before = rules.iter().take(index);
        if let Some(place) = rule.places.typed("cutover.name")
            && before.any(|other| other.value.name == *name)
        {
            let reason = Impossible::Duplicate(name.clone());
            problems.add(place, ConfigFinding::impossible("cutover.name", reason));
        }
        if let Some(place) = rule.places.typed("cutover.backend")
            && let Some(finding) = unknown_backend("cutover.backend", backend, backends)
        {
            problems.add(place, finding);
        }
        steps(rule, problems);
    }
}

/// Steps grow, have a guard, and stand in place of `share`.
fn steps(rule: &Placed<CutoverRule>, problems: &mut ConfigProblems) {
    let (steps, place) = (&rule.value.steps, rule.places.of("cutover.steps"));
    if steps.is_empty() {
        return;
    }
    let is_growing = steps
        .iter()
        .zip(steps.iter().skip(1))
        .all(|(one, next)| one < next);
    let faults = [
        (is_growing, Impossible::StepsShrink),
        (rule.value.guard.is_some(), Impossible::StepsWithoutGuard),
    ];
    for (_, fault) in faults.into_iter().filter(|(holds, _)| !holds) {
        problems.add(place, ConfigFinding::impossible("cutover.steps", fault));
    }
    if let Some(place) = rule.places.typed("cutover.share") {
        let finding = ConfigFinding::impossible("cutover.share", Impossible::Beside("cutover.steps"));
        problems.add(place, finding);
    }
}

/// Rules split no records between stores. `places` are those of their tables.
pub(super) fn whole_rules(settings: &Settings, places: &[ConfigPlace], problems: &mut ConfigProblems) {
    for fault in split_stores(settings) {
        let reason = Impossible::SplitStores(fault.reason.to_string());
        let help = "if the backend and the site see one database, set `same_store = true`";
        let finding = ConfigFinding::impossible("cutover", reason).help(Some(help.to_owned()));
        problems.add(places.get(fault.rule).unwrap_or(&ConfigPlace::Absent), finding);
    }
}

fn unknown_backend(key: &str, name: &str, backends: &[CandidateSettings]) -> Option<ConfigFinding> {
    let names = || backends.iter().map(|backend| backend.name.as_str());
    if names().any(|known| known == name) {
        return None;
    }
    let meant = nearest(name, names()).map(|meant| format!("did you mean \"{meant}\"?"));
    let finding = ConfigFinding::impossible(key, Impossible::UnknownBackend(name.to_owned()));
    Some(finding.help(meant))
}
