//! The words for what becomes of a parameter.

use crate::settings::UndeclaredParameters;
use calendar_edge_judge::call::{Explanation, UndeclaredOutcome};
use calendar_edge_judge::contract::global::{Treatment, global};
use calendar_edge_judge::contract::{Action, Operation};
use calendar_edge_judge::wordpress::payload::Source;
use calendar_edge_judge::wordpress::value::{Verdict, Why};

/// A description of the treatment of one undeclared parameter.
pub(super) fn fate(
    explanation: &Explanation<'_>,
    name: &[u8],
    source: Source,
    allow_jsonp: bool,
) -> &'static str {
    if let Some(known) = global(name) {
        return global_fate(explanation.operation, known.treatment, source, allow_jsonp);
    }
    match explanation.fate(name) {
        None => "forwarded: the plugin reads it undeclared",
        Some(UndeclaredOutcome::Listed) => "forwarded: listed in `extra_parameters`",
        Some(UndeclaredOutcome::Published) => {
            "forwarded: the site publishes it, or may do so as long as its index is not read"
        }
        Some(UndeclaredOutcome::ByRule(UndeclaredParameters::Forward)) => {
            "forwarded: not in the table, and `undeclared` or `mode` lets it pass"
        }
        Some(UndeclaredOutcome::ByRule(UndeclaredParameters::Drop)) => "dropped: not in the table",
        Some(UndeclaredOutcome::ByRule(UndeclaredParameters::Refuse)) => "refused: not in the table",
    }
}

fn global_fate(
    operation: &Operation,
    treatment: Treatment,
    source: Source,
    allow_jsonp: bool,
) -> &'static str {
    let keeps_body = matches!(operation.id.action, Action::Create | Action::Update);
    match treatment {
        Treatment::Forward if keeps_body || source == Source::Query => {
            "forwarded where it stands: WordPress reads it everywhere"
        }
        Treatment::Forward => "forwarded in the query, because the body is dropped",
        Treatment::ForwardInPlace if keeps_body || source == Source::Query => {
            "forwarded where it stands, for translation plugins"
        }
        Treatment::ForwardInPlace => "dropped with the body: what it means depends on its place",
        Treatment::ForwardFromQuery if source == Source::Query => {
            "forwarded in the query: WordPress reads it everywhere"
        }
        Treatment::Method if source == Source::Query => "the method of a write; a read drops it",
        Treatment::ForwardFromQuery | Treatment::Method => {
            "dropped: WordPress looks for it in the query only"
        }
        Treatment::RefuseUnlessAllowed if allow_jsonp => "forwarded: `allow_jsonp` is on",
        Treatment::RefuseUnlessAllowed => "refused: `allow_jsonp` is off",
        Treatment::Nonce => "sent as X-WP-Nonce",
        Treatment::Route => "read as another spelling of the path",
    }
}

/// The verdict about a declared argument.
pub(super) fn verdict_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Admit => "good",
        Verdict::Reject => "bad",
        Verdict::Defer(Why::Database) => "the site's database decides",
        Verdict::Defer(Why::Plugin) => "the site's plugins decide",
        Verdict::Defer(Why::Fetch) => "a fetch by the site decides",
        Verdict::Defer(Why::PhpBuild) => "the site's PHP decides",
        Verdict::Defer(Why::Version) => "the version of the site's plugin decides",
    }
}
