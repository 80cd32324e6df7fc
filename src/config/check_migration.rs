//! Rules about backends that contradict other settings.

use super::draft::Placed;
use super::nearest::nearest;
use super::problem::{ConfigFinding, ConfigProblems, Impossible};
use crate::settings::{BackendSettings, ShadowRule};

/// The backends of shadow rules exist.
pub(super) fn shadow_backends(
    rules: &[Placed<ShadowRule>],
    backends: &[BackendSettings],
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

fn unknown_backend(key: &str, name: &str, backends: &[BackendSettings]) -> Option<ConfigFinding> {
    let names = || backends.iter().map(|backend| backend.name.as_str());
    if names().any(|known| known == name) {
        return None;
    }
    let meant = nearest(name, names()).map(|meant| format!("did you mean \"{meant}\"?"));
    let finding = ConfigFinding::impossible(key, Impossible::UnknownBackend(name.to_owned()));
    Some(finding.help(meant))
}
