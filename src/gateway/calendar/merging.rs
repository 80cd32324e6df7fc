//! PATCH that keeps what is not sent: the record is read, merged and checked before the update (decision 0038).

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Weak};
use std::time::Duration;

use http::StatusCode;
use parking_lot::Mutex;
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

use super::patch_conditions::PatchConditions;
use crate::backend::{ExchangeFailure, OriginBody};
use crate::gateway::calls::{BackendResult, CalendarCall, CallFailure, JudgedCall};
use crate::gateway::stage::Stage;
use calendar_edge_core::relay::AcceptedResponse;
use calendar_edge_core::settings::{PatchPolicy, Settings};
use calendar_edge_judge::contract::OperationId;
use calendar_edge_judge::contract::patch::ReadRecord;

/// Turns a PATCH of the operations with `patch = "merge"` into an update that resets nothing.
#[derive(Debug)]
pub(in crate::gateway) struct Merging<S> {
    inner: S,
    merged: HashSet<OperationId>,
    turns: RecordTurns,
    /// The longest wait for other merges of the same record.
    patience: Duration,
}

/// One merge at a time for each record, whatever the address (T-90): two at once would each undo what the other changed.
/// Events, venues and organizers share the numbers of WordPress's posts.
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

/// What the site says about the record.
enum RecordAnswer {
    Found(ReadRecord),
    /// Not there, or not for this caller: the client's answer.
    Other(AcceptedResponse<OriginBody>),
}

// === impl Merging ===

impl<S> Merging<S>
where
    S: Stage<CalendarCall, Response = BackendResult>,
{
    pub(in crate::gateway) fn new(inner: S, settings: &Settings) -> Self {
        let merged = settings.operations.iter();
        let merged = merged.filter(|(_, operation)| operation.patch == PatchPolicy::Merge);
        Self {
            inner,
            merged: merged.map(|(id, _)| *id).collect(),
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
            read: call.asking(Arc::new(JudgedCall::new(read))),
            conditions,
        })
    }

    async fn merge(&self, call: &CalendarCall, task: MergeTask) -> Result<Update, CallFailure> {
        let record = match self.read(&task).await? {
            RecordAnswer::Found(record) => record,
            RecordAnswer::Other(answer) => return Ok(Update::Answered(answer)),
        };
        if !task.conditions.hold(&record) {
            return Err(CallFailure::PreconditionFailed);
        }
        let merged = call.call.merged(&record).map_err(|_| CallFailure::NoRecord)?;
        let merged = JudgedCall::new(merged);
        // Once more, as late as possible: WordPress itself checks nothing.
        match self.read(&task).await? {
            RecordAnswer::Found(now) if now == record => Ok(Update::Merged(Arc::new(merged))),
            RecordAnswer::Found(_) => Err(CallFailure::Conflict),
            RecordAnswer::Other(answer) => Ok(Update::Answered(answer)),
        }
    }

    async fn read(&self, task: &MergeTask) -> Result<RecordAnswer, CallFailure> {
        let answer = self.inner.call(task.read.clone()).await?;
        if answer.status() != StatusCode::OK {
            return Ok(RecordAnswer::Other(answer));
        }
        let body = answer.whole_body().ok_or(CallFailure::RecordTooLarge)?;
        let record = ReadRecord::read(body).ok_or(CallFailure::NoRecord)?;
        Ok(RecordAnswer::Found(record))
    }

    async fn patch(&self, call: CalendarCall) -> BackendResult {
        let Some(task) = self.task(&call) else {
            return self.inner.call(call).await;
        };
        let record = match task.record {
            Some(record) => record,
            None => match self.read(&task).await? {
                RecordAnswer::Found(record) => record.id().ok_or(CallFailure::NoRecord)?,
                RecordAnswer::Other(answer) => return Ok(answer),
            },
        };
        let turn = self.turns.turn(record);
        let _turn = tokio::time::timeout(self.patience, turn)
            .await
            .map_err(|_| ExchangeFailure::Overloaded)?;
        match self.merge(&call, task).await? {
            Update::Merged(merged) => self.inner.call(call.asking(merged)).await,
            Update::Answered(answer) => Ok(answer),
        }
    }
}

/// What is to be done after the record was read.
enum Update {
    Merged(Arc<JudgedCall>),
    /// Nothing: the client gets this answer.
    Answered(AcceptedResponse<OriginBody>),
}

impl<S> Stage<CalendarCall> for Merging<S>
where
    S: Stage<CalendarCall, Response = BackendResult>,
{
    type Response = BackendResult;

    async fn call(&self, call: CalendarCall) -> BackendResult {
        if self.merged.is_empty() || call.client.patch.is_none() {
            return self.inner.call(call).await;
        }
        // Behind a pointer: few calls come here.
        Box::pin(self.patch(call)).await
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
