//! Reads the indexes of the sites in the background, and puts the tables in force that they form.

use std::time::Duration;

use tokio::sync::oneshot;

use super::drift_watch::{absent, compare_further, expect, note, site_name};
use super::reload::Reloader;
use crate::backend::{
    IndexReadError, IndexSource, Learnt, ReadIndex, SiteIndexes, read_index, read_namespace,
};
use crate::telemetry::with_causes;
use calendar_edge_core::settings::{BackendSettings, OriginNamespace, Settings};
use calendar_edge_judge::contract::TableInForce;

/// The pause after a first failure; it doubles up to the configured interval.
const FIRST_PAUSE: Duration = Duration::from_secs(5);

/// Maximum number of differences that one log line names.
const MOST_NAMED: usize = 16;

/// The outcome of reading the indexes of all roots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Round {
    Complete,
    Incomplete,
}

/// Reads at once, at intervals, and after each reload; never ends. `look` is dropped after the first look at the site's
/// namespaces.
pub(super) async fn watch_indexes(reloader: Reloader, indexes: SiteIndexes, look: oneshot::Sender<()>) {
    let mut look = Some(look);
    let mut failures = 0_u32;
    loop {
        learn_namespace(&reloader).await;
        drop(look.take());
        if !reloader.settings().origin.read_index {
            reloader.reloaded().await;
            continue;
        }
        let settings = reloader.settings();
        let round = read_all(&reloader, &indexes, &settings).await;
        failures = match round {
            Round::Complete => 0,
            Round::Incomplete => failures.saturating_add(1),
        };
        tokio::select! {
            () = tokio::time::sleep(pause(failures, settings.origin.index_interval)) => {}
            () = reloader.reloaded() => failures = 0,
        }
    }
}

/// Takes the namespace that the site lists, if the settings do not name one. A site that lists none, or does not
/// answer, changes nothing: reading the index follows, which logs what is wrong.
async fn learn_namespace(reloader: &Reloader) {
    let settings = reloader.settings();
    if settings.origin.namespace.is_set() || !settings.origin.read_index {
        return;
    }
    let root = settings.origin.url.as_str();
    if let Ok(Some(namespace)) = read_namespace(&settings.site(), &settings.origin.url).await
        && namespace != settings.origin.namespace.as_str()
    {
        tracing::info!(root, namespace, "the site lists this namespace of a calendar");
        reloader.take_namespace(OriginNamespace::listed(namespace));
    }
}

/// The pause before the next round.
fn pause(failures: u32, interval: Duration) -> Duration {
    match failures.checked_sub(1) {
        None => interval,
        Some(earlier) => FIRST_PAUSE
            .saturating_mul(2_u32.saturating_pow(earlier))
            .min(interval),
    }
}

async fn read_all(reloader: &Reloader, indexes: &SiteIndexes, settings: &Settings) -> Round {
    let mut round = Round::Complete;
    let mut is_changed = false;
    expect(reloader.metrics(), settings);
    let site = settings.site();
    for source in IndexSource::all(&site) {
        match read_index(&site, source.root()).await {
            Ok(ReadIndex { index, drifts }) => {
                reloader.metrics().indexes().read();
                note(reloader.metrics(), &site_name(&source), source.root(), &drifts);
                if let Learnt::Table(table) = indexes.learn(&source, index) {
                    tell(&source, &table);
                    is_changed = true;
                }
            }
            Err(error) => {
                reloader.metrics().indexes().failed();
                round = Round::Incomplete;
                tell_failure(reloader, &site.origin.namespace, &source, &error);
            }
        }
    }
    compare_further(reloader.metrics(), settings).await;
    if is_changed {
        reloader.renew_tables();
        keep(indexes.clone(), site).await;
    }
    round
}

/// Logs why an index could not be read: once, if the plugin is not there; else each time.
fn tell_failure(reloader: &Reloader, namespace: &str, source: &IndexSource, error: &IndexReadError) {
    let drifts = error.drifts(namespace);
    if !drifts.is_empty() {
        note(reloader.metrics(), &site_name(source), source.root(), &drifts);
    }
    if absent(&drifts).is_some() {
        return;
    }
    let root = source.root().as_str();
    let error = with_causes(error);
    tracing::warn!(root, error, "the index cannot be read, the table in force stays");
}

/// Writes the file without holding up other tasks.
async fn keep(indexes: SiteIndexes, site: BackendSettings) {
    let kept = tokio::task::spawn_blocking(move || indexes.keep(&site)).await;
    if let Ok(Err(error)) = kept {
        tracing::warn!(%error, "the file of indexes cannot be written");
    }
}

/// Logs a new table in force: `-` is not judged, `+` is forwarded unjudged.
fn tell(source: &IndexSource, table: &TableInForce) {
    let differences = table.differences();
    let named: Vec<String> = differences
        .iter()
        .take(MOST_NAMED)
        .map(ToString::to_string)
        .collect();
    tracing::info!(
        root = source.root().as_str(),
        generation = %table.generations(),
        differences = differences.len(),
        arguments = named.join(", "),
        "the table in force has changed"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_a_failure_the_pause_is_short_and_doubles() {
        let interval = Duration::from_mins(10);
        let pauses = [0, 1, 2, 3, 60].map(|failures| pause(failures, interval).as_secs());
        assert_eq!(pauses, [600, 5, 10, 20, 600]);
        assert_eq!(pause(9, Duration::from_secs(1)), Duration::from_secs(1));
    }
}
