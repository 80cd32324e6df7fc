//! The surface of a site as aligned lines: its namespaces, the routes that matter, proposals, and the lines to paste.

use std::cmp::Reverse;
use std::fmt;

use calendar_edge::telemetry::printable;
use calendar_edge_core::surface::{CallerCalls, Calls, NamespaceRow, Openness, RouteRow, SurfaceReport};

/// A report for people.
pub(super) struct SurfaceText<'a> {
    pub(super) report: &'a SurfaceReport,
    /// Shows every route; otherwise only those that callers without credentials call most.
    pub(super) is_whole: bool,
}

/// The cells of a line: name, methods, who may call, calls with and without credentials.
type Cells = [String; 5];

/// The routes that are shown of a namespace, unless all are.
const MOST_SHOWN: usize = 5;

const HEADINGS: [&str; 5] = ["", "methods", "open to", "with credentials", "without"];

// === impl SurfaceText ===

impl fmt::Display for SurfaceText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let report = self.report;
        writeln!(f, "{}: {}", printable(&report.site), extent(report))?;
        if let Some(observed) = report.observed {
            let hours = observed.seconds / 3600;
            writeln!(
                f,
                "calls counted in {} days {} hours, pages and the calendar aside",
                hours / 24,
                hours % 24
            )?;
        }
        writeln!(f)?;
        self.table(f)?;
        self.proposals(f)
    }
}

impl SurfaceText<'_> {
    fn table(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let report = self.report;
        let is_counted = report.observed.is_some();
        let mut lines = vec![HEADINGS.map(str::to_owned)];
        for row in &report.namespaces {
            lines.push(namespace(row));
            lines.extend(self.shown(row).into_iter().map(|route| cells_of(route)));
        }
        let scripts = report.scripts.iter();
        lines.extend(scripts.map(|row| cells(&row.script, "", "", &row.calls)));
        if report.others.total() > 0 {
            lines.push(cells("(others)", "", "", &report.others));
        }
        let columns = if is_counted { 5 } else { 3 };
        for line in &lines {
            let mut text = String::new();
            for (column, cell) in line.iter().enumerate().take(columns) {
                let width = lines.iter().map(|line| line[column].chars().count()).max();
                text.push_str(cell);
                let blanks = width.unwrap_or_default() - cell.chars().count() + 2;
                text.extend(std::iter::repeat_n(' ', blanks));
            }
            writeln!(f, "{}", text.trim_end())?;
        }
        Ok(())
    }

    /// The routes of a namespace to show: all, or those that are answered without credentials most often.
    fn shown<'a>(&self, row: &'a NamespaceRow) -> Vec<&'a RouteRow> {
        if self.is_whole {
            return row.routes.iter().collect();
        }
        let answered = |route: &&RouteRow| route.calls.without.outcomes().answered;
        let mut routes: Vec<&RouteRow> = row.routes.iter().filter(|route| answered(route) > 0).collect();
        routes.sort_by_key(|route| Reverse(answered(route)));
        routes.truncate(MOST_SHOWN);
        routes
    }

    fn proposals(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let report = self.report;
        if !report.hints.is_empty() {
            writeln!(f)?;
        }
        for hint in &report.hints {
            writeln!(f, "note: {}", printable(hint))?;
        }
        if !report.toml.is_empty() {
            let lead =
                "proposed for the configuration; the rules only report until their mode is \"enforce\":";
            writeln!(f, "\n{lead}\n\n{}", report.toml)?;
        }
        Ok(())
    }
}

fn extent(report: &SurfaceReport) -> String {
    if !report.is_listed {
        return "its list of routes is not known".to_owned();
    }
    let named = report.namespaces.iter().filter(|row| !row.namespace.is_empty());
    let routes: usize = report.namespaces.iter().map(|row| row.routes.len()).sum();
    format!("{} namespaces, {routes} routes", named.count())
}

fn namespace(row: &NamespaceRow) -> Cells {
    let name = match row.namespace.as_str() {
        "" => "(index)",
        name => name,
    };
    if row.is_judged {
        return [name, &count(row), "judged by the edge", "", ""].map(str::to_owned);
    }
    let open = row.routes.iter().filter(|route| route.open == Openness::Anybody);
    let is_unknown = row.routes.iter().all(|route| route.open == Openness::Unknown);
    let open = if is_unknown {
        "unknown".to_owned()
    } else {
        format!("anybody: {} routes", open.count())
    };
    cells(name, &count(row), &open, &row.calls())
}

fn count(row: &NamespaceRow) -> String {
    match row.routes.len() {
        1 => "1 route".to_owned(),
        count => format!("{count} routes"),
    }
}

fn cells_of(route: &RouteRow) -> Cells {
    let open = match route.open {
        Openness::Anybody => "anybody",
        Openness::Checked => "whom the site lets",
        Openness::Unknown => "unknown",
    };
    cells(
        &format!("  {}", route.route),
        &route.methods.join(","),
        open,
        &route.calls,
    )
}

fn cells(name: &str, methods: &str, open: &str, calls: &Calls) -> Cells {
    [
        printable(name).into_owned(),
        methods.to_owned(),
        open.to_owned(),
        told(calls.with),
        told(calls.without),
    ]
}

/// The calls of callers: how many were answered, and how many were not.
fn told(calls: CallerCalls) -> String {
    let outcomes = calls.outcomes();
    let mut text = outcomes.answered.to_string();
    for (count, word) in [
        (outcomes.denied, "denied"),
        (outcomes.refused, "refused"),
        (outcomes.failed, "failed"),
    ] {
        if count > 0 {
            text.push_str(&format!(", {count} {word}"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use calendar_edge_core::surface::{CallCounts, CallKind, CallOutcome, CalledDoor, SiteRoutes};
    use calendar_edge_core::unix_time::UnixTime;

    use super::*;

    const INDEX: &[u8] = br#"{"namespaces": ["wp/v2", "tribe/events/v1"], "routes": {
        "/": {"namespace": "", "methods": ["GET"]},
        "/tribe/events/v1/events": {"namespace": "tribe/events/v1", "methods": ["GET", "POST"]},
        "/wp/v2/users": {"namespace": "wp/v2", "methods": ["GET", "POST"]},
        "/wp/v2/posts/(?P<id>[\\d]+)": {"namespace": "wp/v2", "methods": ["GET"]}}}"#;

    fn report() -> SurfaceReport {
        let routes = SiteRoutes::read(INDEX).unwrap();
        let judged = ["tribe/events/v1".to_owned()];
        SurfaceReport::of_site("http://wp.example/wp-json", Some(&routes), &judged)
    }

    fn text(report: &SurfaceReport, is_whole: bool) -> String {
        SurfaceText { report, is_whole }.to_string()
    }

    #[test]
    fn a_site_alone_is_told_without_calls() {
        let expected = "\
http://wp.example/wp-json: 2 namespaces, 4 routes

                 methods   open to
(index)          1 route   unknown
tribe/events/v1  1 route   judged by the edge
wp/v2            2 routes  unknown
";
        assert_eq!(text(&report(), false), expected);
        assert!(text(&report(), true).contains("  wp/v2/posts/*        GET         unknown\n"));
    }

    #[test]
    fn calls_stand_beside_what_is_called() {
        let (start, end) = (1_800_000_000, 1_800_000_000 + 26 * 3600);
        let mut counts = CallCounts::default();
        counts.begin(UnixTime::from_secs(start));
        for (door, has_credentials, outcome) in [
            (CalledDoor::Listed("wp/v2/posts/*"), false, CallOutcome::Answered),
            (CalledDoor::Listed("wp/v2/users"), false, CallOutcome::Denied),
            (CalledDoor::Listed("wp/v2/users"), true, CallOutcome::Answered),
            (CalledDoor::Script("xmlrpc.php\u{1b}"), false, CallOutcome::Failed),
            (CalledDoor::Unclear, false, CallOutcome::Refused),
        ] {
            let kind = CallKind {
                is_write: false,
                has_credentials,
                outcome,
            };
            counts.count(door, kind, UnixTime::from_secs(end));
        }
        let report = report().counted(counts.sums(UnixTime::from_secs(end)), &[]);
        let told = text(&report, false);
        for line in [
            "calls counted in 1 days 2 hours, pages and the calendar aside",
            "wp/v2            2 routes  unknown             1                 1, 1 denied",
            "  wp/v2/posts/*  GET       unknown             0                 1",
            "xmlrpc.php\\u{1b}",
            "(others)",
            "note: counted for 1 day 2 hours: rules are proposed after 3 days",
        ] {
            assert!(told.contains(line), "{line}\n{told}");
        }
        assert!(!told.contains("wp/v2/users"), "{told}");
        assert!(text(&report, true).contains("  wp/v2/users"));
    }
}
