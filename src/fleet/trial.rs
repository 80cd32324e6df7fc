//! The store of a fleet tried beforehand: that it is reached, runs the scripts and keeps what it is given.

use std::sync::Arc;

use redis::Value;

use super::connect::{Connection, StoreRoute};
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
    /// Program and version of the server.
    pub server: String,
    /// Findings that an operator should look at.
    pub warnings: Vec<String>,
    /// The rights that the user at the store needs.
    pub acl: String,
}

/// A store that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct StoreTrouble {
    message: String,
    /// The remedy.
    pub advice: &'static str,
    /// The rights that the user at the store needs.
    pub acl: String,
}

/// The advice where a server with TLS ends the connection: so it refuses a certificate in TLS 1.3.
const SHOW_CERTIFICATE: &str = "start the store, correct `fleet.store`, or name the certificate that it demands in `fleet.certificate_file`";

/// Keys that scripts leave beside these.
const LEFT: [&str; 5] = ["check:members", "check:ask", "check:b", "check:rules", "check:g"];

/// The keys of the log, under names of their own.
const TRIED: [&str; 3] = ["check:boot", "check:n", "check:log"];

/// The commands that edges use.
const COMMANDS: &str = "-@all +ping +hello +auth +select +eval +get +set +del +time +incr +xadd +xread +xrevrange \
                        +hset +hget +hgetall +hdel +pexpire +info";

/// Connects, runs every script on keys of its own, and reads the server's description of itself. None if the settings
/// name no store or no secret.
///
/// # Errors
///
/// When the store cannot be used as it is.
pub async fn try_store(settings: &FleetSettings) -> Option<Result<StoreReport, StoreTrouble>> {
    let key = FleetKey::of(settings)?;
    Some(try_with(settings, Arc::new(key)).await)
}

async fn try_with(settings: &FleetSettings, key: Arc<FleetKey>) -> Result<StoreReport, StoreTrouble> {
    let acl = acl(settings, &key);
    let tried = try_scripts(settings, &key).await;
    let about = tried.map_err(|fault| StoreTrouble {
        message: fault.to_string(),
        advice: match fault.kind {
            StoreFaultKind::Io if settings.store.iter().any(StoreAddress::uses_tls) => SHOW_CERTIFICATE,
            kind => advice(kind),
        },
        acl: acl.clone(),
    })?;
    let server = ServerFacts::of(&about);
    if server.is_too_old() || server.is_replica() {
        return Err(StoreTrouble {
            message: server.name(),
            advice: if server.is_replica() {
                "this server is a replica: name the primary, or the Sentinels"
            } else {
                "edges need version 5 or newer"
            },
            acl,
        });
    }
    Ok(StoreReport {
        fleet: key.id.clone(),
        server: server.name(),
        warnings: server.warnings(unix_time()),
        acl,
    })
}

/// Runs each script once, and removes the keys that they left.
async fn try_scripts(settings: &FleetSettings, key: &Arc<FleetKey>) -> Result<String, StoreFault> {
    let keys = TRIED;
    let mut connection = StoreRoute::new(settings).connect().await?;
    // Alone: a server that demands a password may close the connection on a longer pipeline.
    let mut first = Commands::new(key);
    first.ping();
    let mut replies = exchange(&mut connection, &first).await?;
    replies.next::<Value>();
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
    let asked = commands.pipe.len();
    commands.script::<&str>(ABOUT, &["check:boot"], &[]);
    let mut replies = exchange(&mut connection, &commands).await?;
    for _ in 0..asked {
        replies.next::<Value>();
    }
    let about = replies.next();
    replies.outcome().map(|()| about.unwrap_or_default())
}

async fn exchange(connection: &mut Connection, commands: &Commands) -> Result<Replies, StoreFault> {
    let replies = connection.exchange(&commands.pipe).await?;
    Ok(Replies::new(replies))
}

/// The line of the store's user file.
fn acl(settings: &FleetSettings, key: &FleetKey) -> String {
    let user = settings.user.as_deref().unwrap_or("calendar-edge");
    let keys = key.store_key("*");
    format!("user {user} on >PASSWORD {COMMANDS} ~{keys}")
}

const fn advice(kind: StoreFaultKind) -> &'static str {
    match kind {
        StoreFaultKind::Io | StoreFaultKind::Silent => "start the store, or correct `fleet.store`",
        StoreFaultKind::Tls => "correct `fleet.ca_file`, `fleet.certificate_file` and `fleet.key_file`",
        StoreFaultKind::Auth => "correct `fleet.user` and `fleet.password_file`, or those of the Sentinels",
        StoreFaultKind::Acl => "give the user of the store the rights below",
        StoreFaultKind::Readonly | StoreFaultKind::Masterdown => {
            "this server is a replica: name the primary, or the Sentinels"
        }
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
