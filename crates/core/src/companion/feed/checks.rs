//! The feed of changes, as it is set.

use crate::settings::Settings;
use crate::survey::check_line::CheckLine;
use crate::survey::check_line::LineKind::{Note, Warning};
use calendar_edge_judge::contract::{Action, Kind, OperationId, Route};

/// The address of the feed for readers, and the settings that limit it.
pub(crate) fn feed(settings: &Settings) -> Vec<CheckLine> {
    if !settings.feed.enabled {
        return Vec::new();
    }
    let asked = |path: &str| format!("readers get changes from {path}/calendar-edge/v1/changes");
    let roots = settings.roots.iter().map(|root| Note.line(asked(&root.path)));
    let closed = Kind::ALL
        .into_iter()
        .filter(|kind| !can_be_read(*kind, settings))
        .map(|kind| {
            Warning.line(format!(
                "`{}.read` is switched off: after each change of {0} readers read all records",
                kind.collection()
            ))
        });
    let forgotten = settings.state_dir.is_none().then(|| {
        Warning
            .line("without `state_dir` a restart forgets the changes so far: readers read all records once")
    });
    roots.chain(closed).chain(forgotten).collect()
}

fn can_be_read(kind: Kind, settings: &Settings) -> bool {
    let (route, action) = (Route::Item(kind), Action::Read);
    settings.allows(OperationId { route, action })
}
