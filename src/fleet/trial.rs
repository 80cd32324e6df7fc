//! The store of a fleet tried beforehand: that it is reached, runs the scripts and keeps what it is given.

use std::sync::Arc;

use redis::Value;

use super::connect::StoreRoute;
use super::metrics::StoreFaultKind;
use super::scripts::{ABOUT, CHANGE, CHARGE, COUNT, END, MEET, READ, SEND, SPEND};
use super::store_fault::StoreFault;
use super::subject::{Commands, Replies};
use crate::telemetry::unix_time;
use calendar_edge_core::fleet::{FleetKey, ServerFacts};
use calendar_edge_core::settings::{FleetSettings, StoreAddress};

/// The findings about a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreReport {
    /// The name of the fleet in the store.
    pub fleet: String,
    /// The rights that the user at the store needs.
    pub rights: String,
    /// The server with what an operator should look at, or the reason why it cannot be used, with the remedy.
    pub server: Result<(String, Vec<String>), String>,
}

/// The advice where a server with TLS ends the connection: so it refuses a certificate in TLS 1.3.
const SHOW_CERTIFICATE: &str = "start the store, correct `fleet.store`, or name the certificate that it demands in `fleet.certificate_file`";

const REPLICA: &str = "this server is a replica: name the primary, or the Sentinels";

/// Keys that scripts leave beside these.
const LEFT: [&str; 5] = ["check:members", "check:ask", "check:b", "check:rules", "check:g"];

/// The keys of the log, under names of their own.
const TRIED: [&str; 3] = ["check:boot", "check:n", "check:log"];

/// The commands that edges use.
const COMMANDS: &str = "-@all +hello +auth +select +eval +get +set +del +time +incr +xadd +xread +xrevrange +hset \
                        +hget +hgetall +hdel +pexpire +info";

/// Connects, reads the server's description of itself, and runs every script on keys of its own. None if the settings
/// name no store or no secret.
pub async fn try_store(settings: &FleetSettings) -> Option<StoreReport> {
    let key = Arc::new(FleetKey::of(settings)?);
    let user = settings.user.as_deref().unwrap_or("calendar-edge");
    Some(StoreReport {
        fleet: key.id.clone(),
        rights: format!("user {user} on >PASSWORD {COMMANDS} ~{}", key.store_key("*")),
        server: match try_scripts(settings, &key).await {
            Ok(about) => fit(&ServerFacts::of(&about)),
            Err(fault) => Err(format!("{fault}; {}", advice(settings, fault.kind))),
        },
    })
}

fn fit(server: &ServerFacts<'_>) -> Result<(String, Vec<String>), String> {
    if server.is_replica() {
        return Err(format!("{}; {REPLICA}", server.name()));
    }
    if server.is_too_old() {
        return Err(format!("{}; edges need version 5 or newer", server.name()));
    }
    Ok((server.name(), server.warnings(unix_time())))
}

/// Reads the description, runs each script once, and removes the keys that they left.
async fn try_scripts(settings: &FleetSettings, key: &Arc<FleetKey>) -> Result<String, StoreFault> {
    let keys = TRIED;
    let mut connection = StoreRoute::new(settings).connect().await?;
    // Alone: a server that demands a password may close the connection on a longer pipeline.
    let mut first = Commands::new(key);
    first.script::<&str>(ABOUT, &["check:boot"], &[]);
    let mut replies = Replies::new(connection.exchange(&first.pipe).await?);
    let about = replies.next();
    replies.outcome()?;
    let mut commands = Commands::new(key);
    commands.script(END, &keys, &["0"]);
    commands.script(SEND, &keys, &["0", "check", "purge", "{}", ""]);
    commands.script(READ, &keys, &["0-0", "1"]);
    commands.script(MEET, &["check:members"], &["check", "", "1"]);
    commands.script(SPEND, &["check:b"], &["1000", "1000", "1000"]);
    commands.script(CHARGE, &["check:b"], &["1000", "1000"]);
    let arguments = ["0", "check", "rule", "{}", "", "check", "0", "1"];
    commands.script(CHANGE, &[keys[0], keys[1], keys[2], "check:rules"], &arguments);
    commands.script(COUNT, &["check:g"], &["check", "", "1000"]);
    commands.command("SET", "check:ask", &["check", "NX", "PX", "1000"]);
    commands.command("HDEL", "check:members", &["check"]);
    for left in keys.into_iter().chain(LEFT) {
        commands.command("DEL", left, &[]);
    }
    let sent = commands.pipe.len();
    let mut replies = Replies::new(connection.exchange(&commands.pipe).await?);
    for _ in 0..sent {
        replies.next::<Value>();
    }
    replies.outcome().map(|()| about.unwrap_or_default())
}

fn advice(settings: &FleetSettings, kind: StoreFaultKind) -> &'static str {
    match kind {
        StoreFaultKind::Io if settings.store.iter().any(StoreAddress::uses_tls) => SHOW_CERTIFICATE,
        StoreFaultKind::Io | StoreFaultKind::Silent => "start the store, or correct `fleet.store`",
        StoreFaultKind::Tls => "correct `fleet.ca_file`, `fleet.certificate_file` and `fleet.key_file`",
        StoreFaultKind::Auth => "correct `fleet.user` and `fleet.password_file`, or those of the Sentinels",
        StoreFaultKind::Acl => "give the user of the store the rights below",
        StoreFaultKind::Readonly | StoreFaultKind::Masterdown => REPLICA,
        StoreFaultKind::Loading => "wait until the store has read its data",
        StoreFaultKind::Noreplicas => {
            "repair the replicas of the store, or lower `min-replicas-to-write` there"
        }
        StoreFaultKind::Sentinel => "correct `fleet.store` and `fleet.master`",
        StoreFaultKind::Oom => "give the store more memory",
        StoreFaultKind::Cluster => {
            "this server is a node of a cluster: name a server that is none, or Sentinels"
        }
        StoreFaultKind::Type => "a key of the fleet holds something else: remove it, or use another database",
        StoreFaultKind::Command
        | StoreFaultKind::Protocol
        | StoreFaultKind::Forged
        | StoreFaultKind::Replayed => "edges need Valkey, or Redis 5 or newer",
    }
}
