//! The surface of a site as aligned lines: its namespaces, the routes that matter, proposals, and the lines to paste.

use std::cmp::Reverse;
use std::fmt;

use calendar_edge::telemetry::printable;
use calendar_edge_core::gateway::surface::COMPANION_LIST;
use calendar_edge_core::surface::{CallerCalls, Calls, NamespaceRow, RouteRow, SurfaceReport};

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
            writeln!(
                f,
                "calls are counted for {observed}; pages and the calendar are not among them"
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
            lines.extend(self.shown(row).into_iter().map(cells_of));
        }
        let scripts = report.scripts.iter();
        lines.extend(scripts.map(|row| cells(&row.script, "", "", &row.calls)));
        if report.others.total() > 0 {
            lines.push(cells("(others)", "", "", &report.others));
        }
        let columns = if is_counted { 5 } else { 3 };
        let widths = lines.iter().fold([0; 5], widest);
        for line in &lines {
            let cells = line.iter().zip(widths).take(columns);
            let cells: Vec<String> = cells.map(|(cell, width)| format!("{cell:<width$}")).collect();
            writeln!(f, "{}", cells.join("  ").trim_end())?;
        }
        Ok(())
    }

    /// The routes of a namespace to show: all, or those that are answered without credentials most often.
    fn shown<'a>(&self, row: &'a NamespaceRow) -> Vec<&'a RouteRow> {
        if row.namespace.is_empty() {
            return Vec::new();
        }
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
        if let Some(list) = &report.companion {
            let lead = "for wp-config.php, where the companion plugin enforces the same rules once they are enforced here:";
            writeln!(f, "{lead}\n\ndefine( '{COMPANION_LIST}', '{list}' );")?;
        }
        Ok(())
    }
}

/// The widths of columns, in characters, that a line fits into as well.
fn widest(mut widths: [usize; 5], line: &Cells) -> [usize; 5] {
    for (width, cell) in widths.iter_mut().zip(line) {
        *width = (*width).max(cell.chars().count());
    }
    widths
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
    let known: Vec<&Vec<String>> = row
        .routes
        .iter()
        .filter_map(|route| route.open_methods.as_ref())
        .collect();
    let open = known.iter().filter(|methods| !methods.is_empty()).count();
    let open = match (known.len(), open) {
        (0, _) => "unknown".to_owned(),
        (_, open) => format!("anybody: {open} of them"),
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
    let open = match &route.open_methods {
        None => "unknown".to_owned(),
        Some(open) if open.is_empty() => "whom the site lets".to_owned(),
        Some(open) if open.len() == route.methods.len() => "anybody".to_owned(),
        Some(open) => format!("anybody: {}", open.join(",")),
    };
    cells(
        &format!("  {}", route.route),
        &route.methods.join(","),
        &open,
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
            text.extend([", ", &count.to_string(), " ", word]);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use calendar_edge_core::settings::Settings;
    use calendar_edge_core::surface::{
        CallKind, CallOutcome, CalledDoor, ListedRoutes, SurfaceCounts, SurfaceScope,
    };
    use calendar_edge_core::unix_time::UnixTime;

    use super::*;

    const INDEX: &[u8] = br#"{"namespaces": ["wp/v2", "tribe/events/v1"], "routes": {
        "/": {"namespace": "", "methods": ["GET"]},
        "/tribe/events/v1/events": {"namespace": "tribe/events/v1", "methods": ["GET", "POST"]},
        "/wp/v2/users": {"namespace": "wp/v2", "methods": ["GET", "POST"]},
        "/wp/v2/posts/(?P<id>[\\d]+)": {"namespace": "wp/v2", "methods": ["GET"]}}}"#;

    fn report() -> SurfaceReport {
        let routes = ListedRoutes::read(INDEX).unwrap();
        SurfaceReport::of_site("http://wp.example/wp-json", Some(&routes), &scope())
    }

    fn scope() -> SurfaceScope {
        SurfaceScope::of(&Settings::for_origin(
            "http://wp.example/wp-json".parse().unwrap(),
        ))
    }

    /// The lines with single blanks.
    fn lines(text: &str) -> Vec<String> {
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        text.lines().map(words).collect()
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
        assert!(lines(&text(&report(), true)).contains(&"wp/v2/posts/* GET unknown".to_owned()));
    }

    #[test]
    fn calls_stand_beside_what_is_called() {
        let (start, end) = (1_800_000_000, 1_800_000_000 + 26 * 3600);
        let mut counts = SurfaceCounts::default();
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
        let report = report().counted(counts.sums(UnixTime::from_secs(end)), &scope());
        let told = text(&report, false);
        for line in [
            "calls are counted for 1 day 2 hours; pages and the calendar are not among them",
            "wp/v2 2 routes unknown 1 1, 1 denied",
            "wp/v2/posts/* GET unknown 0 1",
            "xmlrpc.php\\u{1b} 0 0, 1 failed",
            "(others) 0 0, 1 refused",
            "note: counted for 1 day 2 hours: rules are proposed after 3 days",
        ] {
            assert!(lines(&told).contains(&line.to_owned()), "{line}\n{told}");
        }
        assert!(!told.contains("wp/v2/users"), "{told}");
        assert!(text(&report, true).contains("  wp/v2/users"));
    }
}
