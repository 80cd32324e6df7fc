//! The published advisories that concern the site's version of the plugin.

use calendar_edge_core::settings::Settings;

use crate::survey::{Report, advisories};

/// Names each advisory, and what closes it here. They are advice and no finding: only an update ends them.
pub(super) fn tell(
    version: Option<&str>,
    settings: &Settings,
    report: &mut Report<'_>,
) -> anyhow::Result<()> {
    let Some(version) = version else {
        return Ok(report.note(
            "the site does not show the version of The Events Calendar: no published advisory was compared with it",
        )?);
    };
    for advisory in advisories(version)? {
        let text = format!(
            "{} in The Events Calendar {version}, {}: {}",
            advisory.id,
            advisory.end(),
            advisory.hole
        );
        match advisory.closed_by(settings) {
            Some(setting) => report.note(&format!("{text}. {setting} closes it here until the update"))?,
            None => report.warning(&format!("{text}; {}", advisory.advice()))?,
        }
    }
    Ok(())
}
