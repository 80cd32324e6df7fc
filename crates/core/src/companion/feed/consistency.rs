//! Checks that the feed of changes has the settings it needs.

use crate::settings::{ConfigFinding, ConfigProblems, Draft};

const ENABLED: &str = "feed.enabled";

/// The feed has a companion plugin and a cache, and receivers have a feed.
pub fn check_settings(draft: &Draft, problems: &mut ConfigProblems) {
    let (settings, places) = (&draft.settings, &draft.places);
    if !settings.feed.enabled {
        if let Some(webhook) = places.tables("webhooks").first() {
            let finding = ConfigFinding::missing(ENABLED).expected("true, beside `[[webhooks]]`");
            problems.add(webhook, finding);
        }
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
