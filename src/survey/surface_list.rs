//! The rules about the rest of the site, as the companion plugin takes them.

use calendar_edge_core::gateway::surface::{COMPANION_LIST, companion_list};
use calendar_edge_core::settings::{Settings, SurfaceCallers};

use super::survey_report::Report;

/// Prints the list of rules that are enforced, and says what they are worth without the plugin.
pub(super) fn name(settings: &Settings, report: &mut Report<'_>) {
    let for_logins = |callers| callers == SurfaceCallers::Credentials;
    if settings.surface.iter().any(|rule| for_logins(rule.callers))
        || settings.surface_default.unknown.is_some_and(for_logins)
    {
        report.note(
            "`callers = \"credentials\"` lets everybody pass whose header looks like a login, made up or not, at routes, \
             pages, sitemaps and `?author=` alike; only the companion plugin asks WordPress who calls, and only at routes",
        );
    }
    let Some(list) = companion_list(settings) else {
        return;
    };
    report.note(
        "the companion plugin enforces the rules of `[[surface]]` inside of WordPress, if `wp-config.php` has the line below",
    );
    report.paste(&[format!("define( '{COMPANION_LIST}', '{list}' );")]);
    if settings.origin.mark_key.is_none() {
        report.warning(
            "without the companion plugin `[[surface]]` does not hold around the edge: a rule at the edge is a convenience",
        );
    }
}
