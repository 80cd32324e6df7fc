//! The companion plugin as a wall, which refuses calls without a mark.

use super::check_line::CheckLine;
use super::check_line::LineKind::{Ok as Fine, Open};
use super::responses::code;
use super::surveyed_site::SurveyedSite;

/// The code of a refusal of calls without a mark.
const MARK_MISSING: &str = "calendar_edge_mark_missing";

/// The result of a request for the index of a root without a mark, which changes nothing wherever it arrives; the wall
/// stands if the line is no finding.
pub(super) fn wall(place: &SurveyedSite<'_>, path: &str) -> CheckLine {
    let open = match place.rest(&place.backend.origin.namespace, false) {
        Ok(answer) if answer.status.is_success() => {
            "the site responds to calls without a mark: install the companion plugin there, and give it the secret"
                .to_owned()
        }
        Ok(answer) => {
            let json = answer.json();
            let (status, code) = (answer.status.as_u16(), json.as_ref().map_or("", code));
            if status == 403 && code == MARK_MISSING {
                return Fine.line(format!(
                    "{path}: the companion plugin stands: it refuses calls without a mark and takes those of the edge"
                ));
            }
            format!("a call without a mark gets status {status} ({code}) instead of the companion plugin's refusal")
        }
        Err(obstacle) => format!("a call without a mark gets no refusal of the companion plugin: {obstacle}"),
    };
    Open.line(format!("{path}: {open}"))
}
