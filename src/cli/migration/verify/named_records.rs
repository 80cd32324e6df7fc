//! All records by their numbers, as the companion plugin names them: also those that no list of the calendar shows.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use calendar_edge::backend::fresh_nonce;
use calendar_edge::telemetry::unix_time;
use calendar_edge_core::companion::facts::{Facts, FactsReply, FactsReplyFault, FactsSnapshot};
use calendar_edge_core::settings::Settings;
use calendar_edge_core::survey::{Obstacle, Way};

use super::pace::{Pace, Trouble, patiently};
use crate::cli::survey::RequestSender;

/// Requests all records from the companion plugin, in the order of their numbers, so that an edit moves none past the
/// walk. It has them in all languages.
///
/// # Errors
///
/// When the plugin does not report them, or its site fails.
pub(super) async fn facts(settings: &Settings, pace: &Pace) -> anyhow::Result<Arc<FactsSnapshot>> {
    let site = settings.site();
    let key = site.origin.mark_key.as_ref();
    let key = key.context("the settings have no secret of the plugin")?;
    let root = settings.roots.first().context("there is no REST root")?;
    let way = Way::to_root(&site, &root.origin_url, "origin.url");
    let sender = RequestSender::new(site.clone(), &way)?;
    let mut facts = Facts::wanting_records(true);
    while let Some(question) = facts.next_query(unix_time()) {
        let ask = || async {
            let nonce = fresh_nonce().context("the system gives no random bytes")?;
            let found = sender.send(&way.clone().to_facts(&question, nonce)).await;
            Ok(found.map(|found| found.facts(key, nonce)))
        };
        let reply = patiently(pace, ask, trouble).await??;
        facts.replied(&question, reply?, unix_time())?;
    }
    let loss = facts.loss().unwrap_or("the plugin did not report all");
    facts.snapshot().context(loss)
}

/// The trouble of a site that is away, fails, or refuses because of its load.
fn trouble(reply: &Result<Result<FactsReply, FactsReplyFault>, Obstacle>) -> Option<Trouble> {
    let why = match reply {
        Err(obstacle) => obstacle.to_string(),
        Ok(Err(fault @ FactsReplyFault::Status(429 | 500..))) => fault.to_string(),
        Ok(_) => return None,
    };
    Some((why, Duration::ZERO))
}
