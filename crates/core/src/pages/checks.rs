//! Calendar pages without events: the obstacles to a response without WordPress.

use std::sync::Arc;

use crate::companion::facts::{FactsReply, FactsReplyFault, FactsSnapshot};
use crate::pages::PageJudge;
use crate::settings::{Mode, Settings};
use crate::survey::check_line::CheckLine;
use crate::survey::check_line::LineKind::{Note, Ok as Fine, Unusable, Void};
use crate::survey::guarded_rules::forwards_unjudged;
use crate::survey::responses::Responses;
use crate::survey::surveyed_site::SurveyedSite;

/// The way in which pages are made, as the companion plugin reports it, if it may, and the line about it.
pub(crate) fn empty_pages(responses: &Responses, settings: &Settings) -> Vec<CheckLine> {
    let ([root], true) = (settings.roots.as_slice(), forwards_unjudged(settings)) else {
        return Vec::new();
    };
    let found =
        match SurveyedSite::of_root(responses, &settings.site(), &root.origin_url, "origin.url").facts() {
            None => None,
            Some(Ok(reply)) => line(settings.calendar_pages.mode, reply.and_then(hindrance)),
            Some(Err(obstacle)) => Some(Unusable.line(obstacle.to_string())),
        };
    found.into_iter().collect()
}

fn hindrance(reply: FactsReply) -> Result<Option<String>, FactsReplyFault> {
    let facts = Arc::new(FactsSnapshot {
        site: reply.site.ok_or(FactsReplyFault::Unfit)?,
        events: Vec::new(),
        records: None,
    });
    Ok(PageJudge::new(&facts).hindrance().map(str::to_owned))
}

/// Without the setting, a plugin that reports nothing is no finding.
fn line(mode: Mode, found: Result<Option<String>, FactsReplyFault>) -> Option<CheckLine> {
    Some(match (mode, found) {
        (Mode::Off, Ok(None)) => Note.line(
            "calendar pages without events could be sent without WordPress: see `calendar_pages.mode`",
        ),
        (Mode::Off, Ok(Some(reason))) => Note.line(format!(
            "calendar pages cannot be sent without WordPress: {reason}"
        )),
        (Mode::Off, Err(_)) => return None,
        (_, Ok(None)) => Fine.line("nothing stands in the way of `calendar_pages`"),
        (_, Ok(Some(reason))) => Void.line(format!("`calendar_pages.mode` has no effect: {reason}")),
        (_, Err(fault)) => Void.line(format!(
            "`calendar_pages.mode` has no effect: the companion plugin does not report when events are shown: {fault}{}",
            advice(&fault)
        )),
    })
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

    #[test]
    fn one_row_says_what_stands_in_the_way() {
        let no_views = || Ok(Some("the theme does not show the plugin's views".to_owned()));
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
            let line = line(mode, found);
            let is_void = line.as_ref().is_some_and(|line| line.kind == Void);
            let text = line.map_or_else(String::new, |line| {
                format!("{}: {}\n", line.kind.word().0, line.text)
            });
            assert!(
                text.contains(expected) && text.is_empty() == expected.is_empty(),
                "{text}"
            );
            assert_eq!(text.contains("no effect"), is_void);
        }
    }
}
