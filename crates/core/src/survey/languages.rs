//! The lines of `check` about languages of the site that are not configured.

use super::addresses::home_path;
use super::check_line::CheckLine;
use super::check_line::LineKind::{Differs, Note};
use super::further_roots::{FurtherRoot, RootPlace, further_roots};
use super::responses::Responses;
use super::surveyed_site::SurveyedSite;
use crate::settings::Settings;

/// Names the languages that the site advertises and the settings do not have.
pub(super) fn unconfigured_languages(responses: &Responses, settings: &Settings) -> Vec<CheckLine> {
    let site = settings.site();
    let place = SurveyedSite::of_site(responses, &site, "origin.url");
    let home = place.page(&home_path(&site.origin.url)).ok();
    let line = |root: FurtherRoot| {
        let (title, named) = (root.title(), &root.named);
        let (kind, text) = match root.place {
            RootPlace::Nowhere => {
                let nowhere = format!("has no REST root at {named}: clients select it with `lang`");
                return Note.line(format!("the site advertises {title}, and {nowhere}"));
            }
            RootPlace::Site => (
                Differs,
                format!(
                    "with the REST root {named}, which is not configured: its addresses lead past the edge or to 404"
                ),
            ),
            RootPlace::OtherHost => (
                Note,
                format!("on another host. If {named} is its REST root, clients of the edge reach it with"),
            ),
        };
        kind.pasting(format!("the site advertises {title} {text}"), root.paste(&site))
    };
    further_roots(&place, home).into_iter().map(line).collect()
}
