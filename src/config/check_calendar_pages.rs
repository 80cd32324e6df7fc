//! Whether calendar pages that the edge answers have a site, and whether it tells when its events are shown.

use super::draft::Draft;
use super::problem::{ConfigFinding, ConfigProblems};
use calendar_edge_core::settings::{Mode, OtherTraffic};

const MODE: &str = "calendar_pages.mode";
const DOWNLOADS: &str = "calendar_pages.downloads";

/// Pages are those of one site, which is behind the edge and has the companion plugin.
pub(super) fn check(draft: &Draft, problems: &mut ConfigProblems) {
    let (settings, places) = (&draft.settings, &draft.places);
    let (is_off, downloads) = (
        settings.calendar_pages.mode == Mode::Off,
        settings.calendar_pages.downloads,
    );
    for (key, is_missing, expected) in [
        (MODE, is_off, "\"report\" or \"enforce\""),
        ("forms.calendar", !settings.forms.calendar, "true"),
    ] {
        if downloads && is_missing {
            let finding = ConfigFinding::missing(key).expected(format!("{expected}, beside `downloads`"));
            problems.add(places.of(DOWNLOADS), finding);
        }
    }
    if is_off {
        return;
    }
    if settings.other == OtherTraffic::Refuse {
        let finding = ConfigFinding::missing("other").expected("\"forward\", beside `[calendar_pages]`");
        problems.add(places.of(MODE), finding);
    }
    if settings.origin.secret_file.is_none() {
        let finding = ConfigFinding::missing("origin.secret_file")
            .expected("a file with the secret of the companion plugin, which tells when events are shown");
        problems.add(places.of(MODE), finding);
    }
    if places.tables("roots").len() > 1 {
        let reason =
            "the events of several `[[roots]]` are not told apart: the edge can answer pages of one root";
        problems.add(places.of(MODE), ConfigFinding::impossible(MODE, reason));
    }
}
