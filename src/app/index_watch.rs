//! Reads the indexes of the sites in the background, and puts the tables in force that they form.

use std::time::Duration;

use tokio::sync::oneshot;
use url::Url;

use super::drift_watch::{BackendDrifts, absent, site_name};
use super::reload::Reloader;
use crate::backend::{
    IndexReadError, IndexSource, SHORTEST_PAUSE, SiteIndexes, metrics_of_root, read_index, read_namespace,
    read_words,
};
use crate::telemetry::with_causes;
use calendar_edge_core::concerns::SiteFault;
use calendar_edge_core::limits::Backoff;
use calendar_edge_core::settings::{BackendSettings, OriginNamespace};
use calendar_edge_judge::contract::TableInForce;

/// The longest pause while a site does not respond: the time after an outage for which an older table stays.
const LONGEST_SILENCE: Duration = Duration::from_secs(30);

/// Maximum number of differences that one log line names.
const MOST_NAMED: usize = 16;

/// The outcome of reading the namespace and the indexes of all roots; the worst counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Round {
    /// All is read.
    Complete,
    /// The site responds, but a part is not published.
    Incomplete,
    /// A site does not respond.
    Silent,
}

/// The pauses between rounds.
#[derive(Debug, Default)]
struct RoundPauses {
    /// Rounds that were not complete, in a row.
    failures: u32,
    /// Rounds in a row that calls caused and that changed nothing.
    vain: u32,
    /// True if a site did not respond in the last round.
    is_silent: bool,
}

/// Reads the indexes of one edge.
struct IndexWatch {
    reloader: Reloader,
    indexes: SiteIndexes,
    drifts: BackendDrifts,
    /// Dropped when the first round is over.
    first: Option<oneshot::Sender<()>>,
}

/// Reads at once, at intervals, when calls need it, and after each reload; never ends. `first` is dropped after the
/// first reading.
pub(super) async fn watch_indexes(reloader: Reloader, indexes: SiteIndexes, first: oneshot::Sender<()>) {
    let mut watch = IndexWatch {
        reloader: reloader.clone(),
        indexes: indexes.clone(),
        drifts: BackendDrifts::default(),
        first: Some(first),
    };
    let mut pauses = RoundPauses::default();
    let mut is_wanted = false;
    loop {
        let interval = reloader.settings().origin.index_interval;
        if !reloader.settings().origin.read_index {
            watch.first = None;
            reloader.reloaded().await;
            continue;
        }
        tokio::select! {
            // A reload may name another site: the old one is not waited for.
            () = reloader.reloaded() => {
                pauses = RoundPauses::default();
                continue;
            }
            (round, is_changed) = watch.read(!is_wanted) => pauses.count(round, is_changed, is_wanted),
        }
        is_wanted = tokio::select! {
            // Words wait for everything else: until they are learnt the edge uses English, or the words in its file.
            () = async {
                watch.learn_words().await;
                tokio::time::sleep(pauses.next(interval)).await;
            } => false,
            () = async {
                tokio::time::sleep(pauses.shortest()).await;
                indexes.name.wanted().await;
            } => true,
            () = reloader.reloaded() => {
                pauses = RoundPauses::default();
                false
            }
        };
    }
}

// === impl RoundPauses ===

impl RoundPauses {
    const fn count(&mut self, round: Round, is_changed: bool, is_wanted: bool) {
        self.failures = match round {
            Round::Complete => 0,
            Round::Incomplete | Round::Silent if is_changed => 1,
            Round::Incomplete | Round::Silent => self.failures.saturating_add(1),
        };
        // Calls that a site does not serve may cause a round at once; those that it serves must not cause rounds all
        // the time.
        self.vain = match round {
            Round::Complete | Round::Incomplete if is_wanted && !is_changed => self.vain.saturating_add(1),
            Round::Complete | Round::Incomplete | Round::Silent => 0,
        };
        self.is_silent = matches!(round, Round::Silent);
    }

    /// The pause before the next round.
    fn next(&self, interval: Duration) -> Duration {
        match self.failures.checked_sub(1) {
            None => interval,
            Some(earlier) if self.is_silent => doubled(earlier, interval.min(LONGEST_SILENCE)),
            Some(earlier) => doubled(earlier, interval),
        }
    }

    /// The pause before a round that a call causes.
    fn shortest(&self) -> Duration {
        doubled(self.vain, Duration::MAX)
    }
}

fn doubled(times: u32, longest: Duration) -> Duration {
    Backoff::new(SHORTEST_PAUSE, longest).after(times)
}

// === impl IndexWatch ===

impl IndexWatch {
    /// Reads all, and returns true if anything has changed. Failures are logged if `is_logged`.
    async fn read(&mut self, is_logged: bool) -> (Round, bool) {
        let (named, is_named) = self.learn_namespace(is_logged).await;
        let settings = self.reloader.settings();
        if named == Round::Silent && settings.origin.namespace == OriginNamespace::Assumed {
            self.reloader.metrics().indexes().failed();
            self.first = None;
            return (named, false);
        }
        let (read, is_learnt) = self.learn_indexes(&settings.site(), is_logged).await;
        if is_learnt {
            self.reloader.renew_tables();
            keep(self.indexes.clone(), settings.site()).await;
        }
        self.first = None;
        self.drifts.compare_further(&settings).await;
        (named.max(read), is_named || is_learnt)
    }

    /// Takes the namespace that the site lists, if the settings do not name one.
    async fn learn_namespace(&self, is_logged: bool) -> (Round, bool) {
        let settings = self.reloader.settings();
        if settings.origin.namespace.is_set() {
            return (Round::Complete, false);
        }
        let (root, known) = (&settings.origin.url, &settings.origin.namespace);
        let found = read_namespace(&settings.site(), root, Some(self.reloader.circle())).await;
        if matches!(found, Err(IndexReadError::Circle)) {
            self.reloader.look_at_site().await;
        } else if let (Err(error), true) = (&found, is_logged) {
            let error = with_causes(error);
            tracing::warn!(
                root = root.as_str(),
                error,
                "the namespaces of the site cannot be read"
            );
        }
        let shown = found.as_ref().err().and_then(IndexReadError::shown_fault);
        match found {
            Err(error) => {
                let failure = error.into_failure();
                if let Some(fault) = shown.or_else(|| failure.fault()) {
                    self.note_site(&settings.site(), root, Some(fault));
                }
                self.indexes.name.requested(root, Some(failure));
                (Round::Silent, false)
            }
            Ok(found) => {
                self.indexes.name.requested(root, None);
                self.take_found(root, known, found)
            }
        }
    }

    /// Takes the name that the site lists; none: the assumed one counts from now on.
    fn take_found(&self, root: &Url, known: &OriginNamespace, found: Option<String>) -> (Round, bool) {
        let round = if found.is_some() {
            Round::Complete
        } else {
            Round::Incomplete
        };
        let name = match found {
            None if *known != OriginNamespace::Assumed => return (round, false),
            None => OriginNamespace::listed(known.as_str()),
            Some(name) => OriginNamespace::listed(name),
        };
        if name == *known {
            return (round, false);
        }
        if round == Round::Complete {
            let (root, namespace) = (root.as_str(), name.as_str());
            tracing::info!(root, namespace, "the site lists this namespace of a calendar");
        }
        self.reloader.take_namespace(root, name);
        (round, true)
    }

    async fn learn_indexes(&mut self, site: &BackendSettings, is_logged: bool) -> (Round, bool) {
        let (mut round, mut is_changed) = (Round::Complete, false);
        for source in IndexSource::all(site) {
            match read_index(site, &source.root, Some(self.reloader.circle())).await {
                Ok((index, drifts)) => {
                    self.reloader.metrics().indexes().read();
                    self.note_site(site, &source.root, None);
                    self.drifts.note(&site_name(&source), &source.root, drifts);
                    if let Some(table) = self.indexes.learn(&source, index) {
                        log_table(&source, &table);
                        is_changed = true;
                    }
                }
                Err(error) if error.is_of_site() => {
                    round = round.max(Round::Incomplete);
                    is_changed |= self.indexes.withhold(&source);
                    self.note_failure(&site.origin.namespace, &source, &error, is_logged);
                    if let Some(fault) = error.shown_fault() {
                        self.note_site(site, &source.root, Some(fault));
                    }
                }
                Err(error) => {
                    if matches!(error, IndexReadError::Circle) {
                        self.reloader.look_at_site().await;
                    }
                    round = Round::Silent;
                    self.note_failure(&site.origin.namespace, &source, &error, is_logged);
                    if let Some(fault) = error.shown_fault().or_else(|| error.into_failure().fault()) {
                        self.note_site(site, &source.root, Some(fault));
                    }
                }
            }
        }
        (round, is_changed)
    }

    /// Requests the words from the sites whose index has changed since, or that now refuse in another language.
    async fn learn_words(&self) {
        let site = self.reloader.settings().site();
        for (source, known) in self.indexes.words(&site) {
            match read_words(&site, &source.root, known.as_ref(), Some(self.reloader.circle())).await {
                Ok(None) => {}
                Ok(Some(words)) => {
                    self.indexes.learn_words(&source, words);
                    self.reloader.renew_tables();
                    keep(self.indexes.clone(), site.clone()).await;
                }
                Err(error) => {
                    let (root, error) = (source.root.as_str(), with_causes(&error));
                    tracing::info!(root, error, "the site's words for refusals cannot be learnt now");
                }
            }
        }
    }

    /// Adds the read to the record of the site.
    fn note_site(&self, site: &BackendSettings, root: &Url, fault: Option<SiteFault>) {
        // Several requests are one read: its time shows nothing.
        metrics_of_root(self.reloader.metrics(), site, root).call_ended(fault, Duration::ZERO);
    }

    /// Counts that an index could not be read, and logs why: once, if the plugin is not there.
    fn note_failure(
        &mut self,
        namespace: &str,
        source: &IndexSource,
        error: &IndexReadError,
        is_logged: bool,
    ) {
        self.reloader.metrics().indexes().failed();
        let drifts = error.drifts(namespace);
        let is_absent = absent(&drifts).is_some();
        if !drifts.is_empty() {
            self.drifts.note(&site_name(source), &source.root, drifts);
        }
        // A circle is logged when it is found, and when it ends.
        if !is_absent && is_logged && !matches!(error, IndexReadError::Circle) {
            let root = source.root.as_str();
            let error = with_causes(error);
            tracing::warn!(root, error, "the index cannot be read, the table in force stays");
        }
    }
}

/// Writes the file without holding up other tasks.
async fn keep(indexes: SiteIndexes, site: BackendSettings) {
    let kept = tokio::task::spawn_blocking(move || indexes.keep(&site)).await;
    if let Ok(Err(error)) = kept {
        tracing::warn!(%error, "the file of indexes cannot be written");
    }
}

/// Logs a new table in force: `-` is not judged, `+` is forwarded unjudged.
fn log_table(source: &IndexSource, table: &TableInForce) {
    let differences = table.differences();
    let named = differences.get(..MOST_NAMED).unwrap_or(&differences);
    tracing::info!(
        root = source.root.as_str(),
        version = %table.site_version,
        differences = differences.len(),
        arguments = named.join(", "),
        "the table in force has changed"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pauses in seconds after each of these rounds.
    fn pauses(rounds: &[Round]) -> Vec<u64> {
        let mut pauses = RoundPauses::default();
        let after = rounds.iter().map(|round| {
            pauses.count(*round, false, false);
            pauses.next(Duration::from_mins(10)).as_secs()
        });
        after.collect()
    }

    #[test]
    fn after_a_failure_the_pause_is_short_and_doubles() {
        use Round::{Complete, Incomplete, Silent};
        assert_eq!(pauses(&[Complete, Silent, Silent, Complete]), [600, 1, 2, 600]);
        assert_eq!(pauses(&[Silent; 8]), [1, 2, 4, 8, 16, 30, 30, 30]);
        assert_eq!(pauses(&[Incomplete; 11])[8..], [256, 512, 600]);
        let mut silent = RoundPauses::default();
        silent.count(Silent, false, false);
        assert_eq!(silent.next(Duration::from_millis(20)), Duration::from_millis(20));
    }

    #[test]
    fn calls_that_ask_in_vain_wait_longer_unless_the_site_is_silent() {
        let mut pauses = RoundPauses::default();
        for expected in [2, 4, 8] {
            pauses.count(Round::Complete, false, true);
            assert_eq!(pauses.shortest().as_secs(), expected);
        }
        pauses.count(Round::Silent, false, true);
        assert_eq!(pauses.shortest(), SHORTEST_PAUSE);
        pauses.count(Round::Complete, true, true);
        assert_eq!(pauses.shortest(), SHORTEST_PAUSE);
    }
}
