//! Words for verdicts and modes.

use calendar_edge_judge::wordpress::value::{Verdict, Why};

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
