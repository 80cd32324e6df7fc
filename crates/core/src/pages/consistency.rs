//! Checks that calendar pages of the edge have a site that reports the facts of its calendar.

use crate::settings::{ConfigFinding, ConfigProblems, Draft, Mode, OtherTraffic};

const MODE: &str = "calendar_pages.mode";

/// Pages are those of one site, which is behind the edge and has the companion plugin.
pub fn check_settings(draft: &Draft, problems: &mut ConfigProblems) {
    let (settings, places) = (&draft.settings, &draft.places);
    if settings.calendar_pages.mode == Mode::Off {
        return;
    }
    if settings.other == OtherTraffic::Refuse {
        let finding = ConfigFinding::missing("other").expected("\"forward\", beside `[calendar_pages]`");
        problems.add(places.of(MODE), finding);
    }
    check_site(draft, problems);
}

/// The facts are those of one site, whose plugin reports them to any client with the secret.
fn check_site(draft: &Draft, problems: &mut ConfigProblems) {
    let (settings, places) = (&draft.settings, &draft.places);
    if settings.origin.secret_file.is_none() {
        let finding = ConfigFinding::missing("origin.secret_file").expected(
            "a file with the secret of the companion plugin, which reports the facts of the calendar",
        );
        problems.add(places.of(MODE), finding);
    }
    if places.tables("roots").len() > 1 {
        let reason = "the records of several `[[roots]]` are not distinguished: the edge can serve one root";
        problems.add(places.of(MODE), ConfigFinding::impossible(MODE, reason));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The messages about settings that are changed like this.
    fn messages(roots: usize, change: impl FnOnce(&mut crate::settings::Settings)) -> String {
        let mut draft = Draft::default();
        for _ in 0..roots {
            draft.places.begin("roots", crate::settings::ConfigPlace::Absent);
        }
        change(&mut draft.settings);
        let mut problems = ConfigProblems::default();
        check_settings(&draft, &mut problems);
        problems.messages().join("\n")
    }

    #[test]
    fn pages_need_a_site_its_plugin_and_one_root() {
        for mode in [Mode::Report, Mode::Enforce] {
            let found = messages(2, |settings| settings.calendar_pages.mode = mode);
            for missing in [
                "`other` is missing",
                "`origin.secret_file` is missing",
                "`[[roots]]`",
            ] {
                assert!(found.contains(missing), "{missing}: {found}");
            }
        }
        let forwarding = messages(1, |settings| {
            settings.calendar_pages.mode = Mode::Report;
            settings.other = OtherTraffic::Forward;
            settings.origin.secret_file = Some("/secret".into());
        });
        assert_eq!(forwarding, "");
        assert_eq!(messages(2, |_| {}), "");
    }
}
