//! The rows of the table of versions that apply to a site.

use calendar_edge_judge::contract::{
    DatedDifference, PluginVersion, SiteVersion, TableInForce, dated_differences,
};

use super::check_line::CheckLine;
use super::check_line::LineKind::{Note, Ok as Fine};
use crate::settings::Root;

/// The contract of a root's clients, and the rows between it and the site. The version that the plugin itself shows is
/// more exact than that of its index.
pub(super) fn dated_rows(root: &Root, shown: &str, in_force: &TableInForce) -> Vec<CheckLine> {
    let Some(wanted) = root.wanted else {
        return Vec::new();
    };
    let (path, exact) = (&root.path, shown.parse().map(SiteVersion::exactly));
    let site = exact.unwrap_or(in_force.site_version);
    let line = |row: &DatedDifference| {
        let found = met(row, wanted, site)?;
        Some(Note.line(format!("{path}: {} ({}): {found}", row.name, row.since)))
    };
    let first = Fine.line(format!("{path}: clients get the contract of version {wanted}"));
    let rows = dated_differences().iter().filter_map(line);
    std::iter::once(first).chain(rows).collect()
}

/// The meaning of a row between the wanted version and the site's for clients; none: it is not between them.
fn met(row: &DatedDifference, wanted: PluginVersion, site: SiteVersion) -> Option<String> {
    let has = site.has(row);
    let is_wanted = row.since <= wanted;
    let fate = match (is_wanted, has) {
        (true, Some(false)) => "the site does not have it, and it is not made up",
        (false, Some(true)) if row.is_translated() => "translated",
        (false, None) if row.is_translated() => "translated, if the site has it",
        (false, Some(true) | None) => "not translated, because no response shows it",
        (true, Some(true) | None) | (false, Some(false)) => return None,
    };
    Some(format!("{fate}. {}", row.meaning))
}

/// A note where the plugin is newer than every version whose differences are known.
pub(super) fn newer_plugin(path: &str, shown: &str) -> Option<CheckLine> {
    let newest = PluginVersion::NEWEST;
    let is_newer = shown.parse().is_ok_and(|version: PluginVersion| version > newest);
    is_newer.then(|| {
        Note.line(format!(
            "{path}: the plugin is newer than {newest}, the newest version whose differences are known; see \
             docs/reference/versions.md"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_between_the_wanted_version_and_the_site_are_named() {
        let version = |text: &str| text.parse::<PluginVersion>().expect("a version");
        let met_by = |wanted: &str, site: &str| -> Vec<&str> {
            let site = SiteVersion::exactly(version(site));
            let rows = dated_differences().iter();
            let between = rows.filter(|row| met(row, version(wanted), site).is_some());
            between.map(|row| row.name).collect()
        };
        assert_eq!(met_by("6.10", "6.10"), [""; 0]);
        assert_eq!(
            met_by("6.10", "6.15.3"),
            ["custom_fields", "search_by_date", "protected_places"]
        );
        assert_eq!(
            met_by("6.15.3", "6.10"),
            ["custom_fields", "search_by_date", "protected_places"]
        );
        assert_eq!(met_by("6.10", "6.17.2").len(), 12);
        let row = dated_differences().iter().find(|row| row.name == "custom_fields");
        let fate = |wanted, site| met(row.expect("a row"), version(wanted), site).expect("met");
        assert!(fate("6.10", SiteVersion::UNKNOWN).starts_with("translated, if the site has it. "));
        let older = SiteVersion::exactly(version("6.10"));
        assert!(fate("6.17.2", older).contains("not made up"));
    }
}
