//! Judged calls, recorded into a file within a budget, for `replay`.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

use parking_lot::Mutex;
use serde::Serialize;

use super::recording_file::RecordingFile;
use crate::telemetry::{Metrics, RecordOutcome};
use calendar_edge_core::settings::{Percentage, RecordSettings};

/// Lines that wait for the disk; further ones are dropped.
const MOST_WAITING: usize = 256;

/// The recording of one edge; clones share it.
#[derive(Debug, Clone)]
pub(crate) struct Recorder(Arc<RecorderState>);

#[derive(Debug)]
struct RecorderState {
    /// Read for each call; true only if there is a file.
    on: AtomicBool,
    /// In millionths, read for each call while the recorder is on.
    share: AtomicU32,
    calls: AtomicU64,
    hasher: RandomState,
    recording: Mutex<Recording>,
}

/// The settings in use, and what was recorded under them.
#[derive(Debug)]
struct Recording {
    metrics: Metrics,
    settings: RecordSettings,
    /// Where lines go, and the thread that writes them.
    lines: Option<Lines>,
    /// Bytes in the file, about: lines that wait count.
    bytes: u64,
    /// By operation, what this edge has recorded into this file.
    counts: BTreeMap<&'static str, u32>,
}

/// The recording as operators see it.
#[derive(Debug, Serialize)]
pub(crate) struct RecorderStatus {
    on: bool,
    file: Option<String>,
    recorded: u64,
    in_this_file: BTreeMap<&'static str, u32>,
    skipped: BTreeMap<&'static str, u64>,
}

// === impl Recorder ===

impl Recorder {
    /// A recorder that is off, and counts calls there.
    pub(crate) fn new(metrics: Metrics) -> Self {
        Self(Arc::new(RecorderState {
            on: AtomicBool::new(false),
            share: AtomicU32::new(0),
            calls: AtomicU64::new(0),
            hasher: RandomState::new(),
            recording: Mutex::new(Recording {
                metrics,
                settings: RecordSettings::default(),
                lines: None,
                bytes: 0,
                counts: BTreeMap::new(),
            }),
        }))
    }

    /// Takes over settings, and returns to the switch that they name. A file that stays is continued.
    pub(crate) fn adapt(&self, settings: &RecordSettings) {
        let mut recording = self.0.recording.lock();
        if recording.settings.file != settings.file {
            recording.counts.clear();
        }
        if recording.settings.file != settings.file || recording.settings.size != settings.size {
            recording.lines = None;
        }
        recording.settings = settings.clone();
        self.0.share.store(settings.share.millionths(), Ordering::Relaxed);
        drop(recording);
        self.switch(settings.on);
    }

    /// Records from now on, or no longer. Returns false if there is no file, or it cannot be written.
    pub(crate) fn switch(&self, on: bool) -> bool {
        let mut recording = self.0.recording.lock();
        let is_on = on && recording.open();
        if !on {
            recording.lines = None;
        }
        self.0.on.store(is_on, Ordering::Relaxed);
        is_on == on
    }

    /// Returns true if a call is to be recorded: the share has drawn it, and its operation has quota left.
    pub(crate) fn draws(&self, operation: &'static str) -> bool {
        if !self.0.on.load(Ordering::Relaxed) {
            return false;
        }
        let draw = self.0.calls.fetch_add(1, Ordering::Relaxed);
        let share = Percentage::of_millionths(self.0.share.load(Ordering::Relaxed));
        share.covers(self.0.hasher.hash_one(draw)) && self.0.recording.lock().has_quota(operation)
    }

    /// Records a drawn call; none: it could not be kept without its secrets. Never waits. After a failure of the disk the
    /// recorder is off.
    pub(crate) fn record(&self, operation: &'static str, line: Option<Vec<u8>>) {
        let mut recording = self.0.recording.lock();
        recording.add(operation, line);
        if recording.lines.is_none() {
            self.0.on.store(false, Ordering::Relaxed);
        }
    }

    /// What was recorded since the start.
    pub(crate) fn status(&self) -> RecorderStatus {
        let recording = self.0.recording.lock();
        let file = recording.settings.file.as_ref();
        let mut calls = recording.metrics.recorded_calls();
        let recorded = calls.remove(RecordOutcome::Recorded.into_str());
        calls.retain(|_, count| *count > 0);
        RecorderStatus {
            on: self.0.on.load(Ordering::Relaxed) && recording.is_writing(),
            file: file.map(|file| file.display().to_string()),
            recorded: recorded.unwrap_or_default(),
            in_this_file: recording.counts.clone(),
            skipped: calls,
        }
    }
}

// === impl Recording ===

impl Recording {
    /// Opens the file and begins its writer, unless they are there; false if that fails or no file is set.
    fn open(&mut self) -> bool {
        let Some(path) = self.settings.file.clone() else {
            return false;
        };
        if self.is_writing() {
            return true;
        }
        match writer(&path, self.settings.size) {
            Ok((lines, bytes)) => {
                (self.lines, self.bytes) = (Some(lines), bytes);
                if bytes == 0 {
                    self.counts.clear();
                }
                true
            }
            Err(error) => {
                tracing::error!(%error, file = %path.display(), "calls cannot be recorded");
                false
            }
        }
    }

    /// False without a file, and after a failure to write it.
    fn is_writing(&self) -> bool {
        let writer = self.lines.as_ref();
        writer.is_some_and(|(_, thread)| !thread.is_finished())
    }

    fn has_quota(&mut self, operation: &'static str) -> bool {
        let count = self.counts.get(operation).copied().unwrap_or_default();
        let has_quota = count < self.settings.quota;
        if !has_quota {
            self.metrics.recorded(RecordOutcome::Quota);
        }
        has_quota
    }

    fn add(&mut self, operation: &'static str, line: Option<Vec<u8>>) {
        let Some((lines, _)) = &self.lines else { return };
        let Some(line) = line else {
            return self.metrics.recorded(RecordOutcome::Unrecordable);
        };
        // As the writer counts: it begins a new file before a line that does not fit.
        let length = u64::try_from(line.len()).unwrap_or(u64::MAX).saturating_add(1);
        let is_rotated = self.bytes > 0 && self.bytes.saturating_add(length) > self.settings.size;
        match lines.try_send(line) {
            Ok(()) => {
                if is_rotated {
                    self.counts.clear();
                    self.bytes = 0;
                }
                self.bytes += length;
                self.metrics.recorded(RecordOutcome::Recorded);
                *self.counts.entry(operation).or_default() += 1;
            }
            Err(TrySendError::Full(_)) => self.metrics.recorded(RecordOutcome::DiskSlow),
            Err(TrySendError::Disconnected(_)) => {
                self.metrics.recorded(RecordOutcome::DiskFailed);
                self.lines = None;
            }
        }
    }
}

/// Where lines go, and the thread that writes them.
type Lines = (SyncSender<Vec<u8>>, JoinHandle<()>);

/// A thread of its own that writes lines: disks may block. It ends with the last sender, or with the first failure.
fn writer(path: &Path, size: u64) -> std::io::Result<(Lines, u64)> {
    let mut file = RecordingFile::open(path, size)?;
    let bytes = file.bytes();
    let (lines, received) = sync_channel::<Vec<u8>>(MOST_WAITING);
    let name = path.display().to_string();
    let thread = std::thread::Builder::new()
        .name("recorder".to_owned())
        .spawn(move || {
            while let Ok(line) = received.recv() {
                if let Err(error) = file.write(&line) {
                    tracing::error!(%error, file = name, "calls are no longer recorded");
                    return;
                }
            }
        })?;
    Ok(((lines, thread), bytes))
}
