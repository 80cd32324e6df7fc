//! The feed of changes and its receivers, as they are set: nothing is posted to try them.

use calendar_edge_core::settings::{Settings, WebhookSettings};
use calendar_edge_judge::contract::{Action, Kind, OperationId, Route};

use super::survey_report::Report;

/// Says where readers ask, and where changes would be posted.
pub(super) fn name(settings: &Settings, report: &mut Report<'_>) {
    if !settings.feed.enabled {
        return;
    }
    for root in &settings.roots {
        report.note(format!(
            "readers ask {}/calendar-edge/v1/changes for changes",
            root.path
        ));
    }
    for webhook in &settings.webhooks {
        report.note(posted(webhook));
    }
    for kind in Kind::ALL.into_iter().filter(|kind| !can_be_read(*kind, settings)) {
        report.warning(format!(
            "`{}.read` is switched off: after each change of {0} readers read all records",
            kind.collection()
        ));
    }
    if settings.state_dir.is_none() {
        report.warning(
            "without `state_dir` a restart forgets the changes so far: readers read all records once",
        );
    }
}

fn can_be_read(kind: Kind, settings: &Settings) -> bool {
    let read = OperationId {
        route: Route::Item(kind),
        action: Action::Read,
    };
    settings.allows(read)
}

/// Without the path of the address, which may be secret.
fn posted(webhook: &WebhookSettings) -> String {
    let kinds: Vec<&str> = webhook.kinds.iter().map(|kind| kind.collection()).collect();
    let kinds = if kinds.is_empty() {
        "all kinds".to_owned()
    } else {
        kinds.join(", ")
    };
    let (scheme, receiver) = (webhook.url.scheme(), webhook.name());
    let port = webhook
        .url
        .port()
        .map_or_else(String::new, |port| format!(":{port}"));
    format!("changes of {kinds} are posted to {scheme}://{receiver}{port}, not tried")
}
