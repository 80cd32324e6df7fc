//! Checks that calendar pages of the edge have a site that reports the facts of its calendar.

use super::draft::Draft;
use super::problem::{ConfigFinding, ConfigProblems};
use calendar_edge_core::settings::{Mode, OtherTraffic};

const MODE: &str = "calendar_pages.mode";
const DOWNLOADS: &str = "calendar_pages.downloads";

/// Pages are those of one site, which is behind the edge and has the companion plugin.
pub(super) fn check(draft: &Draft, problems: &mut ConfigProblems) {
    let (settings, places) = (&draft.settings, &draft.places);
    let is_off = settings.calendar_pages.mode == Mode::Off;
    let of_downloads = [
        (is_off, MODE, "\"report\" or \"enforce\", beside `downloads`"),
        (
            !settings.forms.calendar,
            "forms.calendar",
            "true, beside `downloads`",
        ),
    ];
    for (is_missing, key, expected) in of_downloads {
        if settings.calendar_pages.downloads && is_missing {
            problems.add(
                places.of(DOWNLOADS),
                ConfigFinding::missing(key).expected(expected),
            );
        }
    }
    if !is_off && settings.other == OtherTraffic::Refuse {
        let finding = ConfigFinding::missing("other").expected("\"forward\", beside `[calendar_pages]`");
        problems.add(places.of(MODE), finding);
    }
    if !is_off {
        check_site(draft, problems);
    }
}

/// The facts are those of one site, whose plugin reports them to any client with the secret.
fn check_site(draft: &Draft, problems: &mut ConfigProblems) {
    let (settings, places) = (&draft.settings, &draft.places);
    if settings.origin.secret_file.is_none() {
        let finding = ConfigFinding::missing("origin.secret_file").expected(
            "a file with the secret of the companion plugin, which tells the facts of the calendar",
        );
        problems.add(places.of(MODE), finding);
    }
    if places.tables("roots").len() > 1 {
        let reason =
            "the records of several `[[roots]]` are not told apart: the edge can answer for one root";
        problems.add(places.of(MODE), ConfigFinding::impossible(MODE, reason));
    }
}

#[cfg(test)]
mod tests {
    use super::super::load::parse;
    use super::super::overrides::Overrides;

    #[test]
    fn pages_need_a_site_its_plugin_and_one_root() {
        let said = |top: &str, mode: &str| {
            let text = format!(
                "{top}\n[calendar_pages]\nmode = \"{mode}\"\n[[roots]]\npath = \"/wp-json\"\n[[roots]]\npath = \"/de/wp-json\"\n\
                 [origin]\nurl = \"https://wp.example/wp-json\"\n"
            );
            let refused = parse("edge.toml", &text, &Overrides::default());
            refused.err().map(|error| error.to_string()).unwrap_or_default()
        };
        for said in [said("", "report"), said("", "enforce")] {
            for missing in ["other", "origin.secret_file", "[[roots]]"] {
                assert!(said.contains(missing), "{missing}: {said}");
            }
        }
        assert!(!said("other = \"forward\"", "report").contains("beside `[calendar_pages]`"));
        assert!(!said("", "off").contains("calendar_pages"));
    }

    #[test]
    fn downloads_need_pages_and_calendars() {
        let said = |text: &str| {
            let text = format!("[origin]\nurl = \"https://wp.example/wp-json\"\n{text}\ndownloads = true\n");
            let refused = parse("edge.toml", &text, &Overrides::default());
            refused.err().map(|error| error.to_string()).unwrap_or_default()
        };
        let alone = said("[calendar_pages]");
        for missing in ["`calendar_pages.mode` is missing", "`forms.calendar` is missing"] {
            assert!(alone.contains(missing), "{alone}");
        }
        let whole = said("[forms]\ncalendar = true\n[calendar_pages]\nmode = \"report\"");
        assert!(!whole.contains("downloads"), "{whole}");
    }
}
