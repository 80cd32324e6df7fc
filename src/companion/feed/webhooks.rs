//! Receivers of changes: each follows the log like any other reader, from a position that is kept.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::join_all;
use tokio::time::{sleep, timeout};

use super::change_feed::ChangeFeed;
use super::change_reader::{LOOK, MOST_CHANGES};
use super::judging::ReadsRecords;
use super::receiver::{NotTaken, Receiver};
use crate::backend::{ClientError, pauses};
use crate::companion::Companions;
use crate::server::Drain;
use calendar_edge_core::companion::feed::{FeedKey, FeedPage};
use calendar_edge_core::settings::WebhookSettings;
use calendar_edge_judge::contract::Kind;

/// The receivers of one set of settings; clones share them.
#[derive(Debug, Clone)]
pub(crate) struct Receivers(Arc<[Receiver]>);

/// A receiver on its way through the log.
struct Following<'a> {
    companions: &'a Companions,
    records: &'a Arc<dyn ReadsRecords>,
    receiver: &'a Receiver,
    key: &'a FeedKey,
    /// The name of its position.
    name: String,
    drain: &'a Drain,
}

// === impl Receivers ===

impl Receivers {
    /// The receivers whose secrets were read.
    ///
    /// # Errors
    ///
    /// When TLS or a client cannot be set up.
    pub(crate) fn new(webhooks: &[WebhookSettings]) -> Result<Self, ClientError> {
        let receivers: Result<Vec<_>, ClientError> = webhooks.iter().map(Receiver::new).collect();
        Ok(Self(receivers?.into_iter().flatten().collect()))
    }
}

/// Posts changes to all receivers until it is dropped. Positions outlive that. `records` reads those that have changed
/// under the same settings.
pub(crate) async fn deliver_webhooks(
    companions: &Companions,
    receivers: &Receivers,
    records: &Arc<dyn ReadsRecords>,
    drain: &Drain,
) {
    let feed = &companions.feed;
    let Some(key) = feed.key().filter(|_| feed.is_on()) else {
        return std::future::pending().await;
    };
    let following = receivers.0.iter().map(|receiver| Following {
        companions,
        records,
        receiver,
        key: &key,
        name: key.name_of(&position_of(&receiver.settings)),
        drain,
    });
    let following: Vec<Following<'_>> = following.collect();
    let names: Vec<String> = following.iter().map(|following| following.name.clone()).collect();
    feed.keep_delivered(&names);
    join_all(following.iter().map(Following::follow)).await;
    // There are none.
    std::future::pending::<()>().await;
}

/// The name of a receiver's position: its address, and the kinds of its changes, in any order.
fn position_of(webhook: &WebhookSettings) -> String {
    let kinds: BTreeSet<Kind> = webhook.kinds.iter().copied().collect();
    let mut position = webhook.url.to_string();
    for kind in kinds {
        // No URL has a line end.
        position.push('\n');
        position.push_str(kind.collection());
    }
    position
}

// === impl Following ===

impl Following<'_> {
    fn feed(&self) -> &Arc<ChangeFeed> {
        &self.companions.feed
    }

    async fn follow(&self) {
        let mut failures = 0;
        loop {
            let mut moved = self.feed().subscribe();
            if self.has_unposted() {
                sleep(self.receiver.settings.batch).await;
                match self.deliver().await {
                    Ok(()) => failures = 0,
                    Err(pause) => {
                        sleep(pauses::after(failures, pause)).await;
                        failures = failures.saturating_add(1);
                    }
                }
            } else {
                // The log is looked at in any case.
                let _ = timeout(LOOK, moved.changed()).await;
            }
        }
    }

    /// True if there is something to post. Moves over all else.
    fn has_unposted(&self) -> bool {
        self.companions.called();
        self.feed().begin_judging(self.records, self.drain);
        match self.page() {
            Some(page) if page.has_content() => true,
            Some(page) => {
                if self.feed().delivered(&self.name) != Some(page.next) {
                    self.feed().deliver(&self.name, page.next);
                }
                false
            }
            None => false,
        }
    }

    /// Nothing where the companion plugin shows no numbers: changes would go unnoticed.
    fn page(&self) -> Option<FeedPage> {
        let kinds = &self.receiver.settings.kinds;
        let since = self.feed().delivered(&self.name);
        let page = self.feed().read(since, kinds, MOST_CHANGES)?;
        self.companions.stand().then_some(page)
    }

    /// Posts everything since the position, or returns the pause that the receiver demands.
    async fn deliver(&self) -> Result<(), Option<Duration>> {
        // The changes to be posted may be pending again.
        let Some(page) = self.page().filter(FeedPage::has_content) else {
            return Ok(());
        };
        let id = self.key.write(page.next);
        let body: Bytes = page.to_json(&id, |_| None);
        let (receiver, changes) = (&self.receiver.name, page.changes.len());
        let metrics = self.feed().metrics();
        match self.receiver.post(&id, body).await {
            Ok(()) => {
                self.feed().deliver(&self.name, page.next);
                metrics.delivered(receiver, true);
                tracing::debug!(%receiver, changes, complete = page.is_complete, "changes were posted");
                Ok(())
            }
            Err(NotTaken { reason, pause }) => {
                metrics.delivered(receiver, false);
                tracing::warn!(%receiver, changes, reason, "a webhook did not take changes: they are posted again");
                Err(pause)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn receivers_of_one_address_have_a_position_for_each_set_of_kinds() {
        let position = |kinds: &[Kind]| {
            let url = "https://app.example/hook".parse().unwrap();
            position_of(&WebhookSettings {
                url,
                kinds: kinds.to_vec(),
                ..WebhookSettings::default()
            })
        };
        assert_eq!(position(&[]), "https://app.example/hook");
        assert_ne!(position(&[Kind::Event]), position(&[]));
        assert_ne!(position(&[Kind::Event]), position(&[Kind::Venue]));
        assert_eq!(
            position(&[Kind::Venue, Kind::Event, Kind::Event]),
            position(&[Kind::Event, Kind::Venue])
        );
    }
}
