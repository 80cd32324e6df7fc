//! The collector that spans are sent to. The edge works without it, so that its trouble is no finding.

use calendar_edge::app::ask_collector;
use calendar_edge_core::settings::TraceSettings;

use super::survey_report::Report;

/// Says where spans would be sent.
pub(super) fn name(settings: &TraceSettings, report: &mut Report<'_>) {
    if let Some(endpoint) = &settings.endpoint {
        report.note(format!("spans are sent to {endpoint}: {}", recorded(settings)));
    }
}

/// Asks the collector, and says whether it takes spans.
pub(super) async fn ask(settings: &TraceSettings, report: &mut Report<'_>) {
    match ask_collector(settings).await {
        Ok(None) => {}
        Ok(Some(url)) => report.ok(format!("{url} takes spans: {}", recorded(settings))),
        Err(trouble) => report.warning(format!("spans would be lost: {trouble}")),
    }
}

/// Which requests have spans.
fn recorded(settings: &TraceSettings) -> String {
    let sample = settings.sample;
    format!("{sample} of the traces that begin at the edge, and what parents ask for")
}
