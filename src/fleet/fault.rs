//! What goes wrong with the store of a fleet, and whether another connection helps.

use std::fmt;

use redis::{ErrorKind, RedisError};
use strum::VariantArray as _;

/// A failed exchange, or a reply that is not what was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) kind: FaultKind,
    /// What the store or the system said.
    said: String,
}

/// The kind of a fault, as its metric names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
pub(super) enum FaultKind {
    /// The connection cannot be opened, or ended.
    Io,
    /// No reply in time.
    Silent,
    /// The certificate of the store, or of this edge, is refused.
    Tls,
    /// The user or the password is refused.
    Auth,
    /// The user may not use a command or a key.
    Acl,
    /// The server is a replica.
    Readonly,
    /// The server reads its data.
    Loading,
    /// The server has too few replicas to write.
    Noreplicas,
    /// The replica has lost its primary.
    Masterdown,
    /// The Sentinels know no server.
    Sentinel,
    /// The server has no memory left.
    Oom,
    /// The server is part of a cluster, which the settings do not say, or which is down.
    Cluster,
    /// A key holds something else.
    Type,
    /// The server refused a command.
    Command,
    /// The reply has another form.
    Protocol,
    /// A message is not sealed by this fleet.
    Forged,
    /// A message was heard before.
    Replayed,
}

// === impl Fault ===

impl Fault {
    pub(super) fn new(kind: FaultKind, said: impl Into<String>) -> Self {
        let said = said.into();
        Self { kind, said }
    }
}

impl From<RedisError> for Fault {
    fn from(error: RedisError) -> Self {
        Self::new(FaultKind::of(&error), error.to_string())
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.name(), self.said)
    }
}

// === impl FaultKind ===

impl FaultKind {
    /// The name in logs and metrics.
    pub(super) fn name(self) -> &'static str {
        self.into()
    }

    /// The names of all kinds.
    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        Self::VARIANTS.iter().map(|kind| kind.name())
    }

    /// Whether another connection may help. The others leave the connection as it is: what it can do still works.
    pub(super) const fn ends_connection(self) -> bool {
        !matches!(
            self,
            Self::Oom | Self::Acl | Self::Type | Self::Command | Self::Forged | Self::Replayed
        )
    }

    fn of(error: &RedisError) -> Self {
        if error.is_timeout() {
            return Self::Silent;
        }
        match (error.code(), error.kind()) {
            (Some(code), _) => Self::of_code(code),
            (None, ErrorKind::AuthenticationFailed) => Self::Auth,
            (None, ErrorKind::Parse | ErrorKind::UnexpectedReturnType) => Self::Protocol,
            (
                None,
                ErrorKind::MasterNameNotFoundBySentinel
                | ErrorKind::NoValidReplicasFoundBySentinel
                | ErrorKind::EmptySentinelList,
            ) => Self::Sentinel,
            (None, ErrorKind::ClusterConnectionNotFound) => Self::Cluster,
            (None, ErrorKind::InvalidClientConfig) => Self::Tls,
            (None, _) if is_about_tls(error) => Self::Tls,
            (None, _) => Self::Io,
        }
    }

    /// The first word of an error reply.
    fn of_code(code: &str) -> Self {
        match code {
            "NOAUTH" | "WRONGPASS" => Self::Auth,
            "NOPERM" => Self::Acl,
            "READONLY" => Self::Readonly,
            "LOADING" => Self::Loading,
            "NOREPLICAS" => Self::Noreplicas,
            "MASTERDOWN" => Self::Masterdown,
            "OOM" => Self::Oom,
            "MOVED" | "ASK" | "CLUSTERDOWN" | "CROSSSLOT" | "TRYAGAIN" => Self::Cluster,
            "WRONGTYPE" => Self::Type,
            _ => Self::Command,
        }
    }
}

/// The client library passes errors of TLS on as errors of the connection, with their text alone.
fn is_about_tls(error: &RedisError) -> bool {
    let text = error.to_string().to_ascii_lowercase();
    ["certificate", "handshake", "tls", "alert"]
        .iter()
        .any(|word| text.contains(word))
}
