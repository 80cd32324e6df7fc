//! The rules about the rest of the site, as the companion plugin takes them.

use crate::settings::{Settings, SurfaceCallers};
use crate::surface::{COMPANION_LIST, companion_list};
use crate::survey::check_line::CheckLine;
use crate::survey::check_line::LineKind::{Note, Warning};

/// The list of rules that are enforced, and what they are worth without the plugin.
pub(crate) fn surface(settings: &Settings) -> Vec<CheckLine> {
    let for_logins = |callers| callers == SurfaceCallers::Credentials;
    let mut lines = Vec::new();
    if settings.surface.iter().any(|rule| for_logins(rule.callers))
        || settings.surface_default.unknown.is_some_and(for_logins)
    {
        lines.push(Note.line(
            "`callers = \"credentials\"` lets every caller pass whose header looks like a login, made up or not, at routes, \
             pages, sitemaps and `?author=` alike; only the companion plugin checks the caller at WordPress, and only at routes",
        ));
    }
    let Some(list) = companion_list(settings) else {
        return lines;
    };
    lines.push(Note.pasting(
        "the companion plugin enforces the rules of `[[surface]]` inside of WordPress, if `wp-config.php` has the line below",
        vec![format!("define( '{COMPANION_LIST}', '{list}' );")],
    ));
    if settings.origin.mark_key.is_none() {
        lines.push(Warning.line(
            "without the companion plugin `[[surface]]` does not hold around the edge: a rule at the edge is a convenience",
        ));
    }
    lines
}
