//! WordPress's own routes to the records of the calendar, which the calendar's settings do not reach (decision 0018).

use calendar_edge_core::settings::{BackendSettings, Root};
use serde_json::Value;

use super::obstacle::Obstacle;
use super::probe::Probe;
use super::survey_report::Report;

/// The post types of the calendar. WordPress serves one to its editors where the plugin says so.
const RECORD_TYPES: [&str; 4] = [
    "tribe_events",
    "tribe_venue",
    "tribe_organizer",
    "tribe_event_series",
];

/// A namespace of newer plugins, with routes of their own to the same records.
const NEWER_NAMESPACE: &str = "tec/v1";

/// Says which rules about writes do not hold on other routes to the same records. It is advice and no finding: what
/// WordPress's editors may do is decided there.
pub(super) async fn tell(
    root: &Root,
    site: &BackendSettings,
    rules: &[&str],
    report: &mut Report<'_>,
) -> Result<(), Obstacle> {
    if rules.is_empty() {
        return Ok(());
    }
    let probe = Probe::of_root(site, &root.origin_url, "origin.url")?;
    let (routes, path) = (shown(&probe).await, &root.path);
    let what = if routes.is_empty() {
        "that WordPress shows to nobody without a login, such as wp/v2/tribe_events".to_owned()
    } else {
        format!("of WordPress's own: {}", routes.join(", "))
    };
    let rules = rules.join("`, `");
    let text = format!(
        "{path}: `{rules}` do not reach routes {what}; there the roles of WordPress decide who writes"
    );
    if routes.is_empty() {
        report.note(text);
    } else {
        report.loud(text);
    }
    Ok(())
}

/// The routes that are shown to everybody.
async fn shown(probe: &Probe<'_>) -> Vec<String> {
    let types = probe.json("wp/v2/types").await.unwrap_or_default();
    let is_shown = |name: &&str| types.get(name).is_some();
    let of_types = RECORD_TYPES.into_iter().filter(is_shown);
    let mut routes: Vec<String> = of_types.map(|name| format!("wp/v2/{name}")).collect();
    let index = probe.json("").await.unwrap_or_default();
    let names = index.get("namespaces").and_then(Value::as_array);
    if names.is_some_and(|names| names.iter().any(|name| name == NEWER_NAMESPACE)) {
        routes.push(NEWER_NAMESPACE.to_owned());
    }
    routes
}
