//! The task that asks the site for the facts of its calendar.

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use tokio::time::timeout;

use super::companions::Companions;
use super::watch::CompanionService;

/// The pause after which a question may be due though nothing has happened.
const PAUSE: Duration = Duration::from_millis(250);

/// Asks until it is dropped: one question at a time, and the next one as soon as it is due.
pub(crate) async fn follow_facts(companions: Companions, companion_service: Arc<ArcSwap<CompanionService>>) {
    loop {
        if let Some((root, question)) = companions.facts_question() {
            let service = companion_service.load_full();
            let reply = service.ask_facts(&root, &question).await;
            companions.facts().answered(&question, reply);
        } else {
            // Either may end it.
            let _ = timeout(PAUSE, companions.facts().moved()).await;
        }
    }
}
