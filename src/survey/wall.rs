//! The companion plugin as a wall: whether it refuses calls without a mark.

use calendar_edge_core::settings::BackendSettings;

use super::probe::{Marking, Probe};
use super::probe_response::code;
use super::survey_report::Report;

/// The code of a refusal of calls without a mark.
const MARK_MISSING: &str = "calendar_edge_mark_missing";

/// Asks a root for the index without a mark, which changes nothing wherever it arrives, and says what comes of it. Returns
/// true if the wall stands.
pub(super) async fn check_wall(
    probe: &Probe<'_>,
    site: &BackendSettings,
    path: &str,
    report: &mut Report<'_>,
) -> bool {
    let open = match probe.rest(&site.origin.namespace, Marking::Unmarked).await {
        Ok(answer) if answer.status.is_success() => {
            "the site answers calls without a mark: install the companion plugin there, and give it the secret"
                .to_owned()
        }
        Ok(answer) => {
            let code = answer.json().as_ref().map(code).unwrap_or_default();
            let status = answer.status.as_u16();
            if status == 403 && code == MARK_MISSING {
                report.ok(format!(
                    "{path}: the companion plugin stands: it refuses calls without a mark and takes those of the edge"
                ));
                return true;
            }
            format!(
                "a call without a mark gets status {status} ({code}) instead of the companion plugin's refusal"
            )
        }
        Err(obstacle) => {
            format!("a call without a mark gets no refusal of the companion plugin: {obstacle}")
        }
    };
    report.open(format!("{path}: {open}"));
    false
}
