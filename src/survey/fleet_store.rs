//! The store of the fleet. The edge works without it, but then each edge acts alone, which nobody configured.

use calendar_edge::app::try_store;
use calendar_edge_core::settings::FleetSettings;

use super::survey_report::Report;

/// Names the store.
pub(super) fn name(settings: &FleetSettings, report: &mut Report<'_>) {
    if settings.is_set() {
        report.note(format!(
            "this edge is one of a fleet, through {}",
            shown(settings)
        ));
    }
}

/// Tries the store, and says what its user needs.
pub(super) async fn ask(settings: &FleetSettings, report: &mut Report<'_>) {
    let acl = match try_store(settings).await {
        None => return,
        Some(Ok(found)) => {
            let (store, server, fleet) = (shown(settings), &found.server, &found.fleet);
            report.ok(format!("{store}: {server} runs what the fleet `{fleet}` needs"));
            for warning in &found.warnings {
                report.warning(warning);
            }
            found.acl
        }
        Some(Err(trouble)) => {
            let (store, advice) = (shown(settings), trouble.advice);
            report.differs(format!("{store}: edges would act alone: {trouble}; {advice}"));
            trouble.acl
        }
    };
    report.note(format!("the rights of the user at the store: {acl}"));
}

fn shown(settings: &FleetSettings) -> String {
    let addresses: Vec<String> = settings.store.iter().map(ToString::to_string).collect();
    addresses.join(", ")
}
