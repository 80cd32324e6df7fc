//! Rules about backends that contradict other settings.

use super::cutover::split_stores;
use crate::settings::{
    ConfigFinding, ConfigProblems, CredentialsPolicy, Draft, Settings, listed_twice, nearest,
};

/// Backends that get identities have a secret to verify them by.
pub fn check_identities(draft: &Draft, problems: &mut ConfigProblems) {
    const KEY: &str = "backends.credentials";
    for (index, backend) in draft.settings.backends.iter().enumerate() {
        if backend.credentials == CredentialsPolicy::Identity && backend.identity_secret_file.is_none() {
            let finding = ConfigFinding::impossible(KEY, "identities need `identity_secret_file`");
            problems.add(draft.places.table(index).of(KEY), finding);
        }
    }
}

/// The backends of rules exist, and the names of rules differ.
pub fn check_rules(draft: &Draft, problems: &mut ConfigProblems) {
    let Settings { shadow, cutover, .. } = &draft.settings;
    for (index, rule) in shadow.iter().enumerate() {
        known_backend(("shadow.backend", &rule.backend), index, draft, problems);
    }
    for (index, rule) in cutover.iter().enumerate() {
        let name = &rule.name;
        let mut before = cutover.iter().take(index);
        if let Some(place) = draft.places.table(index).typed("cutover.name")
            && before.any(|other| other.name == *name)
        {
            problems.add(place, listed_twice("cutover.name", name));
        }
        known_backend(("cutover.backend", &rule.backend), index, draft, problems);
    }
}

/// Rules split no records between stores.
pub fn check_stores(draft: &Draft, problems: &mut ConfigProblems) {
    for (rule, reason) in split_stores(&draft.settings) {
        let reason = format!("the rule splits records between two stores: {reason}");
        let help = "if the backend and the site see one database, set `same_store = true`";
        let finding = ConfigFinding::impossible("cutover", reason).help(Some(help.to_owned()));
        problems.add(draft.places.table(rule).beginning("cutover"), finding);
    }
}

fn known_backend((key, name): (&str, &str), index: usize, draft: &Draft, problems: &mut ConfigProblems) {
    let names = || {
        draft
            .settings
            .backends
            .iter()
            .map(|backend| backend.name.as_str())
    };
    let Some(place) = draft.places.table(index).typed(key) else {
        return;
    };
    if names().any(|known| known == name) {
        return;
    }
    let meant = nearest(name, names()).map(|meant| format!("did you mean \"{meant}\"?"));
    let finding = ConfigFinding::impossible(key, format!("there is no [backends.{name}]"));
    problems.add(place, finding.help(meant));
}
