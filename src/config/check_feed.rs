//! Whether the feed of changes has what it needs.

use super::draft::Placed;
use super::problem::{Complaint, ConfigFinding, ConfigProblems, Impossible};
use calendar_edge_core::settings::{Settings, WebhookSettings};

const ENABLED: &str = "feed.enabled";

/// The feed has a companion plugin and a cache, and receivers have a feed.
pub(super) fn check(
    typed: &Placed<Settings>,
    webhooks: &[Placed<WebhookSettings>],
    problems: &mut ConfigProblems,
) {
    let (settings, places) = (&typed.value, &typed.places);
    if !settings.feed.enabled {
        if let Some(webhook) = webhooks.first() {
            let finding =
                ConfigFinding::from(Complaint::Missing(ENABLED)).expected("true, beside `[[webhooks]]`");
            problems.add(&webhook.places.table, finding);
        }
        return;
    }
    if settings.origin.secret_file.is_none() {
        let finding = ConfigFinding::from(Complaint::Missing("origin.secret_file"))
            .expected("a file with the secret of the companion plugin, which counts the changes");
        problems.add(places.of(ENABLED), finding);
    }
    if !settings.cache.enabled {
        let finding = ConfigFinding::impossible(ENABLED, Impossible::FeedWithoutCache);
        problems.add(places.of(ENABLED), finding);
    }
}
