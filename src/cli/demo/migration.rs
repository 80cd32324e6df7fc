//! `calendar-edge demo --migration`: a second calendar, which answers nearly as the first one does.

use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use anyhow::Context as _;
use calendar_edge::app::BoundAddress;
use calendar_edge_core::settings::{
    BackendSoftware, CandidateSettings, CutoverRule, GuardSettings, OperationPattern, Percentage, Settings,
    ShadowRule,
};
use calendar_edge_judge::contract::{PLUGIN_NAMESPACE, SPECIFIED_NAMESPACE};
use calendar_edge_sandbox::{Planted, Sandbox};

/// The name of the second calendar.
const NEXT: &str = "next";

/// Starts the second calendar, which prints the addresses of the first one.
pub(super) async fn start(first: &Sandbox) -> anyhow::Result<Sandbox> {
    let loopback = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let next = first.start_second(loopback, Planted::Differences).await;
    next.context("the second sandbox cannot listen")
}

/// Copies every read to the second calendar, and lets it answer the reads of venues.
pub(super) fn settings(mut settings: Settings, next: &Sandbox) -> Settings {
    // The lines to try come from several clients: one alone cannot make the guard return anything.
    settings
        .trusted_proxies
        .push(IpAddr::from(Ipv4Addr::LOCALHOST).into());
    settings.backends.push(CandidateSettings {
        kind: BackendSoftware::WordPress,
        namespace: PLUGIN_NAMESPACE.to_owned(),
        ..CandidateSettings::at(NEXT.to_owned(), next.rest_root().clone())
    });
    settings.shadow.push(ShadowRule {
        backend: NEXT.to_owned(),
        operations: OperationPattern::parse("*").into_iter().collect(),
        requests_per_second: 100,
        ..ShadowRule::default()
    });
    settings.cutover.push(CutoverRule {
        name: "venues-read".to_owned(),
        backend: NEXT.to_owned(),
        operations: OperationPattern::parse("venues.*").into_iter().collect(),
        fallback: true,
        guard: Some(GuardSettings {
            window: Duration::from_mins(1),
            calls: 10,
            failures: Some(Percentage::of_millionths(100_000)),
            ..GuardSettings::default()
        }),
        ..CutoverRule::default()
    });
    settings
}

/// Lines to try.
pub(super) fn lines(
    root: &str,
    next: &Sandbox,
    admin: Option<&BoundAddress>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let api = format!("{root}/{SPECIFIED_NAMESPACE}");
    let admin = admin.map_or_else(String::new, |address| format!("http://{address}"));
    let broken = format!("http://{}/break", next.address());
    writeln!(
        out,
        "\nA second calendar, at {}, answers nearly as the first one does. Reads are copied to it, and it answers the \
         reads of venues.\n",
        next.rest_root()
    )?;
    for line in [
        "# some reads, of which the second calendar gets copies".to_owned(),
        format!("for page in 1 2 3; do curl -s -o /dev/null '{api}/events?per_page=2&page='$page; done"),
        format!("curl -s -o /dev/null '{api}/organizers'"),
        "# what differs, by operation and path, each with a value of both: `order` (the members of a record begin with \
         another one), `representation` (an author is a number), `volatile` (the readers of a record, which count anew), \
         `different` (the name of a city)"
            .to_owned(),
        format!("calendar-edge migration report --admin {admin}"),
        "# a venue, which the second calendar answers: its author is a number".to_owned(),
        format!("curl '{api}/venues/7?_pretty'"),
        format!("calendar-edge migration status --admin {admin}"),
        "# the second calendar breaks for several clients: no read fails, and the guard returns the venues to the first one"
            .to_owned(),
        format!("curl {broken}"),
        format!(
            "for n in 1 2 3 4 5 6 7 8 9 10 11 12; do curl -s -o /dev/null -w '%{{http_code}} ' -H 'X-Forwarded-For: \
             192.0.2.'$n '{api}/venues?search='$n; done"
        ),
        format!("calendar-edge migration status --admin {admin}"),
        "# repaired, and resumed by an operator".to_owned(),
        format!("curl {broken}"),
        format!("calendar-edge migration resume venues-read --admin {admin}"),
    ] {
        writeln!(out, "{line}")?;
    }
    Ok(())
}
