//! PATCH that keeps members which are not sent: the record is read, merged and checked before the update (decision
//! 0038).

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Weak};
use std::time::Duration;

use http::StatusCode;
use parking_lot::Mutex;
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

use crate::backend::ExchangeFailure;
use crate::calls::{BackendResult, CalendarCall, CallFailure, JudgedCall, Stage};
use calendar_edge_core::gateway::decision::PatchConditions;
use calendar_edge_core::settings::Settings;
use calendar_edge_judge::contract::patch::ReadRecord;
use calendar_edge_judge::contract::{OperationId, table};

/// Turns a PATCH of the operations with `patch = "merge"` into an update that resets nothing.
#[derive(Debug)]
pub(in crate::gateway) struct Merging<S> {
    inner: S,
    merged: HashSet<OperationId>,
    turns: RecordTurns,
    /// The longest wait for other merges of the same record.
    patience: Duration,
}

/// One merge at a time for each record, whatever the address (T-90): two at once would each undo what the other
/// changed. Events, venues and organizers share the numbers of WordPress's posts.
#[derive(Debug, Default)]
struct RecordTurns {
    running: Mutex<HashMap<u64, Weak<AsyncMutex<()>>>>,
}

/// A PATCH to merge.
struct MergeTask {
    /// The number of its record; none in an address by slug.
    record: Option<u64>,
    /// The read of the record, where the update will go.
    read: CalendarCall,
    conditions: PatchConditions,
}

// === impl Merging ===

impl<S: Stage<CalendarCall, BackendResult>> Merging<S> {
    pub(in crate::gateway) fn new(inner: S, settings: &Settings) -> Self {
        let all = table().operations().iter().map(|operation| operation.id);
        Self {
            inner,
            merged: all.filter(|id| settings.merges(*id)).collect(),
            turns: RecordTurns::default(),
            patience: settings.timeouts.origin_queue,
        }
    }

    /// The task, if this call is a PATCH that is to be merged.
    fn task(&self, call: &CalendarCall) -> Option<MergeTask> {
        let conditions = call.client.patch?;
        let id = call.call.operation()?.id;
        let read = self.merged.contains(&id).then(|| call.call.record_read())??;
        Some(MergeTask {
            record: read.request().route.number(),
            read: call.with_call(Arc::new(JudgedCall::new(read))),
            conditions,
        })
    }

    /// The record as the site shows it to this caller.
    ///
    /// # Errors
    ///
    /// The end of the PATCH: the response of a site that does not show it, or a failure.
    async fn read(&self, task: &MergeTask) -> Result<ReadRecord, BackendResult> {
        let answer = self.inner.call(task.read.clone()).await.map_err(Err)?;
        if answer.status() != StatusCode::OK {
            return Err(Ok(answer));
        }
        let body = answer.whole_body().ok_or(Err(CallFailure::RecordTooLarge))?;
        ReadRecord::read(&body).ok_or(Err(CallFailure::NoRecord))
    }

    /// The update that changes only the members that the PATCH names.
    ///
    /// # Errors
    ///
    /// The end of the PATCH without an update.
    async fn merge(&self, call: &CalendarCall, task: &MergeTask) -> Result<JudgedCall, BackendResult> {
        let record = self.read(task).await?;
        if !task.conditions.hold(&record) {
            return Err(Err(CallFailure::PreconditionFailed));
        }
        let merged = call.call.merged(&record);
        let merged = merged.ok_or(Err(CallFailure::NoRecord))?;
        // Once more, as late as possible: WordPress itself checks nothing.
        if self.read(task).await? != record {
            return Err(Err(CallFailure::Conflict));
        }
        Ok(JudgedCall::new(merged))
    }

    /// The end of the update.
    ///
    /// # Errors
    ///
    /// The end of a PATCH without an update.
    async fn patch(&self, call: CalendarCall, task: MergeTask) -> Result<BackendResult, BackendResult> {
        let record = if let Some(record) = task.record {
            record
        } else {
            let record = self.read(&task).await?;
            record.id().ok_or(Err(CallFailure::NoRecord))?
        };
        let turn = self.turns.turn(record);
        let turn = tokio::time::timeout(self.patience, turn).await.ok();
        let _turn = turn.ok_or(Err(ExchangeFailure::Overloaded.into()))?;
        let update = call.with_call(Arc::new(self.merge(&call, &task).await?));
        Ok(self.inner.call(update).await)
    }
}

impl<S: Stage<CalendarCall, BackendResult>> Stage<CalendarCall, BackendResult> for Merging<S> {
    async fn call(&self, call: CalendarCall) -> BackendResult {
        match self.task(&call) {
            None => self.inner.call(call).await,
            // Behind a pointer: few calls come here.
            Some(task) => match Box::pin(self.patch(call, task)).await {
                Ok(end) | Err(end) => end,
            },
        }
    }
}

// === impl RecordTurns ===

impl RecordTurns {
    /// Waits until no other merge of this record runs.
    async fn turn(&self, record: u64) -> OwnedMutexGuard<()> {
        self.lock(record).lock_owned().await
    }

    fn lock(&self, record: u64) -> Arc<AsyncMutex<()>> {
        // The code under the lock does not panic between two changes.
        let mut running = self.running.lock();
        if let Some(lock) = running.get(&record).and_then(Weak::upgrade) {
            return lock;
        }
        if running.len() == running.capacity() {
            // Only before the map grows: it stays below twice the merges that run, at constant cost.
            running.retain(|_, lock| lock.strong_count() > 0);
        }
        let lock = Arc::new(AsyncMutex::new(()));
        running.insert(record, Arc::downgrade(&lock));
        lock
    }
}

#[cfg(test)]
#[path = "merging_tests.rs"]
mod tests;
