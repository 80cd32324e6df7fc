//! Calendar pages without events: what stands in the way of answering them without WordPress.

use calendar_edge_core::facts::{FactsQuestion, FactsReplyFault, FactsSnapshot};
use calendar_edge_core::pages::{Hindrance, PageJudge};
use calendar_edge_core::settings::{BackendSettings, Mode, Settings};

use super::obstacle::Obstacle;
use super::probe::Probe;
use super::survey_report::Report;

/// Asks the companion plugin how pages are made, if it may tell that, and says what follows.
pub(super) async fn ask(
    settings: &Settings,
    site: &BackendSettings,
    report: &mut Report<'_>,
) -> Result<(), Obstacle> {
    let ([root], Some(key)) = (settings.roots.as_slice(), &site.origin.mark_key) else {
        return Ok(());
    };
    let probe = Probe::of_root(site, &root.origin_url, "origin.url")?;
    let reply = probe.facts(key, &FactsQuestion::OF_SITE).await?;
    let found = reply.and_then(|reply| {
        let site = reply.site.ok_or(FactsReplyFault::Unfit)?;
        let facts = FactsSnapshot {
            site,
            events: Vec::new(),
            records: None,
        };
        Ok(PageJudge::new(&facts).hindrance().cloned())
    });
    tell(settings.calendar_pages.mode, found, report);
    Ok(())
}

/// Without the setting, a plugin that tells nothing is none to complain of.
fn tell(mode: Mode, found: Result<Option<Hindrance>, FactsReplyFault>, report: &mut Report<'_>) {
    match (mode, found) {
        (Mode::Off, Ok(None)) => report.note(
            "calendar pages without events could be answered without WordPress: see `calendar_pages.mode`",
        ),
        (Mode::Off, Ok(Some(reason))) => report.note(format!(
            "calendar pages cannot be answered without WordPress: {reason}"
        )),
        (Mode::Off, Err(_)) => {}
        (_, Ok(None)) => report.ok("nothing stands in the way of `calendar_pages`"),
        (_, Ok(Some(reason))) => {
            report.void(format!("`calendar_pages.mode` has no effect: {reason}"));
        }
        (_, Err(fault)) => report.void(format!(
            "`calendar_pages.mode` has no effect: the companion plugin does not tell when events are shown: {fault}{}",
            advice(&fault)
        )),
    }
}

fn advice(fault: &FactsReplyFault) -> &'static str {
    match fault {
        FactsReplyFault::Status(404) => {
            "; install the companion plugin 0.8 or later, and switch The Events Calendar on"
        }
        FactsReplyFault::Status(401 | 403) | FactsReplyFault::Seal(_) => {
            "; give the plugin the secret of `origin.secret_file`"
        }
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::survey::WorstFinding;

    #[test]
    fn one_row_says_what_stands_in_the_way() {
        let no_views = || Ok(Some(Hindrance::NoViews));
        let status = |status| Err(FactsReplyFault::Status(status));
        for (mode, found, expected) in [
            (
                Mode::Off,
                Ok(None),
                "note: calendar pages without events could be",
            ),
            (Mode::Off, no_views(), "note: calendar pages cannot be"),
            (Mode::Off, status(404), ""),
            (Mode::Report, Ok(None), "ok: nothing stands in the way"),
            (
                Mode::Report,
                no_views(),
                "no effect: the theme does not show the plugin's views",
            ),
            (
                Mode::Enforce,
                status(404),
                "status 404; install the companion plugin 0.8",
            ),
            (
                Mode::Enforce,
                status(403),
                "status 403; give the plugin the secret",
            ),
            (Mode::Enforce, status(500), "the site responds with status 500\n"),
        ] {
            let mut text = Vec::new();
            let mut report = Report::new(&mut text);
            tell(mode, found, &mut report);
            let worst = report.end().unwrap();
            let text = String::from_utf8(text).unwrap();
            assert!(
                text.contains(expected) && text.is_empty() == expected.is_empty(),
                "{text}"
            );
            assert_eq!(text.contains("no effect"), worst == WorstFinding::Difference);
            assert!(text.lines().count() < 2);
        }
    }
}
