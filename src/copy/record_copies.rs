//! The copy of a site's records, whatever the settings, and what is proven about it.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::{self, OwnedMutexGuard};
use tokio::task::{JoinHandle, spawn_blocking};

use super::drill::Drill;
use super::probing::RecentReads;
use crate::companion::Companions;
use crate::server::state_file;
use crate::telemetry::{CopyMetrics, CopyOutcome, unix_time};
use calendar_edge_core::copy::{CopyQuestion, RULES, RecordCopy, ShapeBook, Standing};
use calendar_edge_core::facts::{CopySite, FactsSnapshot};
use calendar_edge_core::settings::Settings;

/// The copy, and what is proven about it; clones share it.
#[derive(Debug, Clone)]
pub(crate) struct RecordCopies(Arc<CopyState>);

#[derive(Debug)]
struct CopyState {
    companions: Companions,
    is_enabled: AtomicBool,
    made: ArcSwapOption<MadeCopy>,
    /// Held while a copy is made.
    making: Arc<sync::Mutex<()>>,
    proofs: Mutex<KeptProofs>,
    recent: RecentReads,
    drill: Mutex<Option<Drill>>,
    metrics: CopyMetrics,
}

/// The proofs, and where they are kept.
#[derive(Debug)]
struct KeptProofs {
    book: ShapeBook,
    /// None: nothing outlives the edge.
    file: Option<PathBuf>,
    is_written: bool,
}

/// A copy, and the facts that it was made of.
#[derive(Debug)]
pub(super) struct MadeCopy {
    facts: Arc<FactsSnapshot>,
    pub(super) records: RecordCopy,
}

/// The file in the directory of the settings.
const FILE: &str = "copy.json";

// === impl RecordCopies ===

impl RecordCopies {
    /// Nothing is known yet, but for what an earlier run has proven.
    pub(crate) fn new(settings: &Settings, companions: &Companions, metrics: &CopyMetrics) -> Self {
        let copies = Self(Arc::new(CopyState {
            companions: companions.clone(),
            is_enabled: AtomicBool::new(false),
            made: ArcSwapOption::empty(),
            making: Arc::default(),
            proofs: Mutex::new(KeptProofs::of(None)),
            recent: RecentReads::default(),
            drill: Mutex::default(),
            metrics: metrics.clone(),
        }));
        copies.adapt(settings);
        copies
    }

    /// Takes new settings: proofs are kept elsewhere, or no longer needed.
    pub(crate) fn adapt(&self, settings: &Settings) {
        self.0.is_enabled.store(settings.copy.enabled, Ordering::Relaxed);
        if !settings.copy.enabled {
            self.0.made.store(None);
            return;
        }
        self.0.metrics.expect();
        let file = settings.state_dir.as_ref().map(|directory| directory.join(FILE));
        let mut proofs = self.0.proofs.lock();
        if proofs.file != file {
            *proofs = KeptProofs::of(file);
        }
    }

    /// The copy by the facts as they are now; none while the site may know others, or it is being made of them.
    pub(super) fn current(&self) -> Option<Arc<MadeCopy>> {
        let facts = self.0.companions.current_facts()?;
        let made = self.made_of(&facts);
        if made.is_none() {
            self.make_behind(facts);
        }
        made
    }

    /// The copy by the facts as the site last told them, and how long ago it was last heard of.
    pub(super) async fn last_known(&self) -> Option<(Arc<MadeCopy>, Duration)> {
        let (facts, last) = self.0.companions.last_known_facts()?;
        let made = if let Some(made) = self.made_of(&facts) {
            made
        } else {
            let making = Arc::clone(&self.0.making).lock_owned().await;
            self.make(facts, making).await.ok()??
        };
        Some((made, unix_time().saturating_since(last)))
    }

    /// Makes a copy of what the site has just told, before somebody reads.
    pub(crate) fn prepare(&self) {
        let is_enabled = self.0.is_enabled.load(Ordering::Relaxed);
        let told = is_enabled.then(|| self.0.companions.facts().last_known());
        if let Some((facts, _)) = told.flatten().filter(|(facts, _)| self.made_of(facts).is_none()) {
            self.make_behind(facts);
        }
    }

    fn made_of(&self, facts: &Arc<FactsSnapshot>) -> Option<Arc<MadeCopy>> {
        let made = self.0.made.load_full();
        made.filter(|made| Arc::ptr_eq(&made.facts, facts))
    }

    /// Makes a copy beside the requests, unless one is being made.
    fn make_behind(&self, facts: Arc<FactsSnapshot>) {
        if let Ok(making) = Arc::clone(&self.0.making).try_lock_owned() {
            self.make(facts, making);
        }
    }

    fn make(
        &self,
        facts: Arc<FactsSnapshot>,
        making: OwnedMutexGuard<()>,
    ) -> JoinHandle<Option<Arc<MadeCopy>>> {
        let copies = self.clone();
        spawn_blocking(move || {
            // Somebody may have made it while this waited.
            if let Some(made) = copies.made_of(&facts) {
                return Some(made);
            }
            let copy = facts.copy.as_ref()?;
            let records = RecordCopy::new(Arc::clone(&copy.site), copy.records.clone());
            if copies.0.proofs.lock().book.adopt(&copy.site.fingerprint) {
                tracing::info!("the site makes its responses in another way: the copy is to be proven again");
            }
            let made = Arc::new(MadeCopy { facts, records });
            copies.0.made.store(Some(Arc::clone(&made)));
            drop(making);
            // The site may have told more meanwhile.
            copies.prepare();
            Some(made)
        })
    }

    /// Has the site asked for its number of changes while reads are asked for.
    pub(super) fn called(&self) {
        self.0.companions.called();
    }

    pub(super) fn standing(&self, shape: &str) -> Standing {
        self.0.proofs.lock().book.standing(shape)
    }

    /// Notes a read by what becomes of it.
    pub(super) fn read(&self, shape: &str, outcome: CopyOutcome, reason: &str) {
        self.0.metrics.read(outcome);
        if let Some(drill) = self.0.drill.lock().as_mut() {
            drill.read(shape, outcome, reason, Instant::now());
        }
        if outcome == CopyOutcome::Asked {
            self.prove(|book| book.asks(shape, reason));
        }
    }

    /// Counts a response of the copy. True if it is to be compared with the site afterwards.
    pub(super) fn answers(&self, shape: &str, read: &CopyQuestion) -> bool {
        self.prove(|book| book.answers(shape, read, Instant::now()))
    }

    /// A response that the copy gave was compared, whatever came of it.
    pub(super) fn sampled(&self) {
        self.0.proofs.lock().book.sampled(Instant::now());
    }

    /// Notes a comparison without a difference.
    pub(super) fn is_equal(&self, shape: &str, read: &CopyQuestion) {
        if self.prove(|book| book.is_equal(shape, read)) {
            tracing::info!(shape, "the copy answers reads of this shape from now on");
        }
    }

    /// Notes a comparison with a difference, whose records are read again.
    pub(super) fn differs(&self, shape: &str, target: &str) {
        if self.prove(|book| book.differs(shape, target)) {
            tracing::warn!(
                shape,
                target,
                advice = "the site answers such reads until 300 comparisons are equal; `calendar-edge copy status` shows them",
                "the copy and the site have different responses"
            );
        }
        self.0.companions.facts().read_anew();
    }

    fn prove<T>(&self, change: impl FnOnce(&mut ShapeBook) -> T) -> T {
        let mut proofs = self.0.proofs.lock();
        proofs.is_written = false;
        change(&mut proofs.book)
    }

    /// Measures what is only known when somebody asks.
    pub(crate) fn measure(&self) {
        for (standing, shapes) in self.standings() {
            self.0.metrics.standing(standing, shapes);
        }
    }

    fn standings(&self) -> [(Standing, usize); 3] {
        let proofs = self.0.proofs.lock();
        [Standing::Watched, Standing::Proven, Standing::Suspended].map(|standing| {
            let shapes = proofs.book.shapes().values();
            (
                standing,
                shapes.filter(|proof| proof.standing() == standing).count(),
            )
        })
    }

    /// The reads so far by what became of them, and the number of shapes by their standing; null without a copy.
    pub(crate) fn figures(&self) -> Value {
        if !self.0.is_enabled.load(Ordering::Relaxed) {
            return Value::Null;
        }
        let standings = self.standings();
        let shapes: BTreeMap<_, _> = standings
            .iter()
            .map(|(standing, shapes)| (standing.name(), shapes))
            .collect();
        json!({"reads": self.0.metrics.sums(), "shapes": shapes})
    }

    pub(super) fn metrics(&self) -> &CopyMetrics {
        &self.0.metrics
    }

    /// The reads by which shapes can be proven.
    pub(super) fn recent(&self) -> &RecentReads {
        &self.0.recent
    }

    /// Writes what was proven since the last time, if there is a file. Blocks for the time of writing.
    pub(crate) fn write(&self) {
        let mut proofs = self.0.proofs.lock();
        let Some(path) = proofs.file.clone().filter(|_| !proofs.is_written) else {
            return;
        };
        proofs.is_written = true;
        let text = proofs.book.to_json();
        drop(proofs);
        if let Err(error) = state_file::replace(&path, |file| file.write_all(text.as_bytes())) {
            tracing::warn!(%error, path = %path.display(), "what is proven about the copy cannot be kept");
        }
    }

    /// Begins a drill of this length: reads are counted by whether they need the site.
    pub(crate) fn drill(&self, length: Duration) -> Value {
        let mut drill = self.0.drill.lock();
        let begun = drill.insert(Drill::new(length, Instant::now()));
        json!(begun.report(Instant::now()))
    }

    /// What is copied, what is proven, and the last drill.
    pub(crate) fn status(&self) -> Value {
        let facts = self.0.companions.facts();
        let made = self.0.made.load_full();
        let known = facts.last_known().map(|(facts, _)| facts);
        let copy = known.as_ref().and_then(|known| known.copy.as_ref());
        json!({
            "records": copy.map(|copy| copy.records.len()),
            "fingerprint": copy.map(|copy| &*copy.site.fingerprint),
            "number": known.as_ref().map(|known| known.number),
            "is_current": made.is_some_and(|made| self.is_current(&made)),
            "shapes": self.0.proofs.lock().book.shapes(),
            "drill": self.0.drill.lock().as_ref().map(|drill| drill.report(Instant::now())),
        })
    }

    /// Whether nothing has changed at the site since the copy was made, as far as the edge knows.
    pub(super) fn is_current(&self, made: &MadeCopy) -> bool {
        let now = self.0.companions.current_facts();
        now.is_some_and(|facts| Arc::ptr_eq(&facts, &made.facts))
    }
}

// === impl MadeCopy ===

impl MadeCopy {
    /// How the site lists its records.
    pub(super) fn site(&self) -> &CopySite {
        self.records.site()
    }
}

// === impl KeptProofs ===

impl KeptProofs {
    fn of(file: Option<PathBuf>) -> Self {
        let text = file.as_deref().and_then(|file| fs::read_to_string(file).ok());
        Self {
            book: text.map_or_else(
                || ShapeBook::new(RULES),
                |text| ShapeBook::from_json(&text, RULES),
            ),
            file,
            is_written: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::companion::follow_facts_tests::Scene;
    use crate::telemetry::Metrics;

    const RECORDS: &str = r#""records":[],"fold":{},"copy":{"zone":"UTC","bounds_zone":"UTC","mode":"event",
        "cutoff":"00:00","posts_per_page":10,"most":{},"collation":"","plugin":"6.10.0","rest":"","root":"",
        "fingerprint":"","headers":{},"terms":[],"words":{}},"#;

    #[tokio::test]
    async fn no_read_makes_the_copy() {
        let scene = Scene::with(|settings| settings.copy.enabled = true);
        let copies = RecordCopies::new(&scene.settings, &scene.companions, Metrics::new().copy());
        scene.shows("7", None);
        scene.reads_with(7, RECORDS);
        assert!(copies.current().is_none(), "it is made behind this read");
        while copies.current().is_none() {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn a_read_of_a_site_that_is_away_waits_for_the_copy() {
        let scene = Scene::with(|settings| settings.copy.enabled = true);
        let copies = RecordCopies::new(&scene.settings, &scene.companions, Metrics::new().copy());
        assert!(copies.last_known().await.is_none());
        scene.shows("7", None);
        scene.reads_with(7, RECORDS);
        copies.prepare();
        assert!(copies.last_known().await.is_some());
    }
}
