//! One subject of the exchange: its commands in the pipeline, and its replies.

use std::sync::Arc;

use redis::{FromRedisValue, Pipeline, RedisResult, ToRedisArgs, Value, from_redis_value};

use super::metrics::StoreFaultKind;
use super::scripts::SPEND;
use super::store_fault::StoreFault;
use calendar_edge_core::fleet::FleetKey;
use calendar_edge_core::limits::rates::Settlement;

/// A part of the exchange with the store. A subject takes as many replies as it sent commands, those after a fault too.
pub(super) trait FleetSubject: Send + Sync {
    /// Adds its commands.
    fn add_commands(&mut self, commands: &mut Commands, turn: ExchangeTurn);

    /// Takes its replies.
    fn take_replies(&mut self, replies: &mut Replies, turn: ExchangeTurn);

    /// The exchange brought no replies: its commands may have been run or not.
    fn lose(&mut self) {}

    /// The store cannot be reached.
    fn be_alone(&mut self) {}
}

/// The circumstances of one exchange.
#[derive(Debug, Clone, Copy)]
pub(super) struct ExchangeTurn {
    /// The first on its connection.
    pub(super) is_first: bool,
    /// The table of members is written and read.
    pub(super) is_meeting: bool,
    /// The first of a second.
    pub(super) is_new_second: bool,
}

/// The commands of one exchange.
pub(super) struct Commands {
    key: Arc<FleetKey>,
    /// The pipeline.
    pub(super) pipe: Pipeline,
}

/// The replies of one exchange, in the order of its commands.
pub(super) struct Replies {
    replies: std::vec::IntoIter<RedisResult<Value>>,
    fault: Option<StoreFault>,
}

// === impl Commands ===

impl Commands {
    pub(super) fn new(key: &Arc<FleetKey>) -> Self {
        let mut pipe = Pipeline::new();
        pipe.ignore_errors();
        Self {
            key: Arc::clone(key),
            pipe,
        }
    }

    /// Adds a script with keys of the fleet and arguments.
    pub(super) fn script<A: ToRedisArgs>(&mut self, script: &str, keys: &[impl AsRef<str>], arguments: &[A]) {
        let pipe = self.pipe.cmd("EVAL").arg(script).arg(keys.len());
        for key in keys {
            pipe.arg(self.key.store_key(key.as_ref()));
        }
        pipe.arg(arguments);
    }

    /// Adds a script about buckets.
    pub(super) fn buckets(&mut self, script: &str, buckets: &[Settlement], arguments: &[String]) {
        let keys = buckets
            .iter()
            .map(|settlement| format!("b:{:016x}", settlement.bucket));
        self.script(script, &keys.collect::<Vec<_>>(), arguments);
    }

    /// Adds the command that adds spent costs, and subtracts those given back.
    pub(super) fn spend(&mut self, settlements: &[Settlement]) {
        let arguments = settlements.iter().flat_map(|settlement| {
            let taken = settlement.taken;
            [
                taken.micros().to_string(),
                taken.period.as_micros().to_string(),
                taken.debt().as_micros().to_string(),
            ]
        });
        self.buckets(SPEND, settlements, &arguments.collect::<Vec<_>>());
    }

    /// Adds a command about one key of the fleet.
    pub(super) fn command(&mut self, name: &str, key: &str, arguments: &[&str]) {
        let key = self.key.store_key(key);
        self.pipe.cmd(name).arg(key).arg(arguments);
    }
}

// === impl Replies ===

impl Replies {
    pub(super) fn new(replies: Vec<RedisResult<Value>>) -> Self {
        Self {
            replies: replies.into_iter(),
            fault: None,
        }
    }

    /// The next reply; none if the store refused the command, or the reply has another form.
    pub(super) fn next<T: FromRedisValue>(&mut self) -> Option<T> {
        let protocol = |message| StoreFault::new(StoreFaultKind::Protocol, message);
        let read = match self.replies.next() {
            None => Err(protocol("a reply is missing".to_owned())),
            Some(Err(refused)) => Err(refused.into()),
            Some(Ok(reply)) => from_redis_value(reply).map_err(|error| protocol(error.to_string())),
        };
        read.map_err(|fault| self.note(fault)).ok()
    }

    /// Notes a fault: the first one, or the first that ends the connection.
    fn note(&mut self, fault: StoreFault) {
        let is_worse = |known: &StoreFault| fault.ends_connection() && !known.ends_connection();
        if self.fault.as_ref().is_none_or(is_worse) {
            self.fault = Some(fault);
        }
    }

    /// The outcome of the exchange.
    ///
    /// # Errors
    ///
    /// The fault of a reply that was taken.
    pub(super) fn outcome(self) -> Result<(), StoreFault> {
        self.fault.map_or(Ok(()), Err)
    }
}
