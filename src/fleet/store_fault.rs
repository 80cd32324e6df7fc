//! Failures of a fleet's store, and whether another connection helps.

use std::fmt;

use redis::{ErrorKind, RedisError};

pub(super) use super::metrics::StoreFaultKind;

/// A failed exchange, or a reply of a wrong type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StoreFault {
    pub(super) kind: StoreFaultKind,
    /// The message of the store or the system.
    message: String,
}

// === impl StoreFault ===

impl StoreFault {
    pub(super) fn new(kind: StoreFaultKind, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { kind, message }
    }

    /// True if another connection may help. The other faults leave the connection as it is: what it can do still works.
    pub(super) const fn ends_connection(&self) -> bool {
        use StoreFaultKind::{Acl, Command, Forged, Oom, Replayed, Type};
        !matches!(self.kind, Oom | Acl | Type | Command | Forged | Replayed)
    }
}

impl From<RedisError> for StoreFault {
    fn from(error: RedisError) -> Self {
        Self::new(kind_of(&error), error.to_string())
    }
}

impl fmt::Display for StoreFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.name(), self.message)
    }
}

/// The error of a script that calls a command without the right to.
const REFUSED_IN_SCRIPT: &str = "can't run this command";

fn kind_of(error: &RedisError) -> StoreFaultKind {
    use StoreFaultKind::{Auth, Io, Protocol, Sentinel, Silent, Tls};
    if error.is_timeout() {
        return Silent;
    }
    match (error.code(), error.kind()) {
        // A script fails with a code of its own where the user may not run one of its commands.
        (Some(_), _) if error.to_string().contains(REFUSED_IN_SCRIPT) => StoreFaultKind::Acl,
        (Some(code), _) => kind_of_code(code),
        (None, ErrorKind::AuthenticationFailed) => Auth,
        (None, ErrorKind::Parse | ErrorKind::UnexpectedReturnType) => Protocol,
        (None, ErrorKind::MasterNameNotFoundBySentinel) => Sentinel,
        (None, ErrorKind::InvalidClientConfig) => Tls,
        (None, _) if is_about_tls(error) => Tls,
        (None, _) => Io,
    }
}

/// The first word of an error reply.
fn kind_of_code(code: &str) -> StoreFaultKind {
    match code {
        "NOAUTH" | "WRONGPASS" => StoreFaultKind::Auth,
        "NOPERM" => StoreFaultKind::Acl,
        "READONLY" => StoreFaultKind::Readonly,
        "LOADING" => StoreFaultKind::Loading,
        "NOREPLICAS" => StoreFaultKind::Noreplicas,
        "MASTERDOWN" => StoreFaultKind::Masterdown,
        "OOM" => StoreFaultKind::Oom,
        "MOVED" | "ASK" | "CLUSTERDOWN" | "CROSSSLOT" | "TRYAGAIN" => StoreFaultKind::Cluster,
        "WRONGTYPE" => StoreFaultKind::Type,
        _ => StoreFaultKind::Command,
    }
}

/// The client library passes errors of TLS on as errors of the connection, with their text alone.
fn is_about_tls(error: &RedisError) -> bool {
    let text = error.to_string().to_ascii_lowercase();
    ["certificate", "handshake", "tls", "alert"]
        .iter()
        .any(|word| text.contains(word))
}
