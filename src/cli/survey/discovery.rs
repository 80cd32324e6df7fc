//! Requests everything that `init` writes from a site.

use calendar_edge_core::survey::{
    CheckLine, FoundSite, LineKind, Obstacle, ObstacleKind, SiteRequest, find as found_site,
};
use tokio::time::Instant;

use super::asker::survey;

/// Sends requests under the name in the address, and then under the public one: a server at an address of its own often
/// recognises the site by that alone.
pub(crate) async fn find(
    request: &SiteRequest,
    until: Instant,
) -> (Result<FoundSite, Obstacle>, Vec<CheckLine>) {
    let (first, mut lines) = survey(until, |responses, lines| found_site(responses, request, lines)).await;
    let again = first.as_ref().err().zip(request.other_name());
    let Some((obstacle, public)) = again.filter(|(why, _)| why.may_end_under_the_name()) else {
        return (first, lines);
    };
    let host = public.host_str().unwrap_or_default();
    lines.push(LineKind::Note.line(format!("trying again, as clients that name {host}")));
    let named = SiteRequest {
        named: Some(public.clone()),
        ..request.clone()
    };
    let (second, more) = survey(until, |responses, lines| found_site(responses, &named, lines)).await;
    lines.extend(more);
    let is_second = second.is_ok() || obstacle.kind == ObstacleKind::Elsewhere;
    (if is_second { second } else { first }, lines)
}
