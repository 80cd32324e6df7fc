//! Checks that the feed of changes has the settings it needs.

use crate::settings::{ConfigFinding, ConfigProblems, Draft};

const ENABLED: &str = "feed.enabled";

/// The feed has a companion plugin and a cache.
pub fn check_settings(draft: &Draft, problems: &mut ConfigProblems) {
    let (settings, places) = (&draft.settings, &draft.places);
    if !settings.feed.enabled {
        return;
    }
    if settings.origin.secret_file.is_none() {
        let finding = ConfigFinding::missing("origin.secret_file")
            .expected("a file with the secret of the companion plugin, which counts the changes");
        problems.add(places.of(ENABLED), finding);
    }
    if !settings.cache.enabled {
        let reason = "the feed needs the cache: `cache.enabled` is false";
        let finding = ConfigFinding::impossible(ENABLED, reason);
        problems.add(places.of(ENABLED), finding);
    }
}
