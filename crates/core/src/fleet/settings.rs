//! Settings of a fleet: several edges that agree through one store.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use url::Url;

use crate::settings::keys::TextError;
use crate::settings::keys::group::settings_group;
use crate::settings::keys::listening_form::file_like;
use crate::settings::keys::store_form::{NAME, STORE, USER};
use crate::settings::mark_key::MarkKey;
use crate::settings::origin_access::{TrustedCertificates, UnfitFile};

settings_group! {
    /// Several edges that act as one through a store, see [fleet.md](../guides/fleet.md). While an edge cannot reach
    /// the store, it acts alone.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct FleetSettings {
        /// The store that all edges of the fleet share: Valkey or Redis, version 5 or newer. `rediss:` and `sentinels:`
        /// use TLS. A list names Sentinels, which name the server on each connection.
        pub store: Vec<StoreAddress> = Vec::new() => one_or_list(STORE, 0), "one edge";
        /// The name of the server at the Sentinels.
        pub master: Option<String> = None => text(NAME), "none; Sentinels need it";
        /// The user at the store. `calendar-edge check` prints the ACL line that it needs.
        pub user: Option<String> = None => text(USER), "the store's default user";
        /// File with the password of that user, one line.
        pub password_file: Option<PathBuf> = None => text(file_like(&["/etc/calendar-edge/store"])),
            "no password";
        /// The password in that file.
        pub password: Option<StorePassword> = None;
        /// File with the password of the Sentinels' default user, one line: their accounts are their own.
        pub sentinel_password_file: Option<PathBuf> = None => text(file_like(&["/etc/calendar-edge/store"])),
            "no password";
        /// The password in that file.
        pub sentinel_password: Option<StorePassword> = None;
        /// PEM file with the authorities for the store's certificate, in place of the system's.
        pub ca_file: Option<PathBuf> = None => text(file_like(&["/etc/calendar-edge/store"])),
            "those of the system";
        /// The certificates in that file.
        pub trusted: TrustedCertificates = TrustedCertificates::default();
        /// PEM file with the certificate that the edge shows to the store.
        pub certificate_file: Option<PathBuf> = None => text(file_like(&["/etc/calendar-edge/store"])),
            "none";
        /// PEM file with the private key of that certificate.
        pub key_file: Option<PathBuf> = None => text(file_like(&["/etc/calendar-edge/store"])), "none";
        /// The certificate and the key in both files.
        pub identity: Option<StoreIdentity> = None;
        /// File with a secret of at least 32 bytes that all edges of the fleet share, and no other program. It seals
        /// their messages, and hides names and addresses of clients from the store.
        pub secret_file: Option<PathBuf> = None => text(file_like(&["/etc/calendar-edge/secret"])),
            "the file of `origin.secret_file`";
        /// The key that is made of the secret.
        pub secret: Option<MarkKey> = None;
        /// The time between two exchanges with the store.
        pub interval: Duration = Duration::from_millis(100);
        /// The number of edges that is assumed while the store was never reached.
        pub members: usize = 2;
    }
}

/// The address of a store, without its password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreAddress {
    /// A server, `redis://valkey:6379/3`, or with TLS `rediss://valkey:6379`.
    Server {
        /// The name or IP address.
        host: String,
        /// The port.
        port: u16,
        /// The number of the database.
        database: i64,
        /// True if the connection uses TLS.
        tls: bool,
    },
    /// A server at a Unix socket, `unix:/run/valkey.sock`.
    Unix(PathBuf),
    /// A Sentinel that names the server, `sentinel://a:26379`, or with TLS `sentinels://a:26379`.
    Sentinel {
        /// The name or IP address.
        host: String,
        /// The port.
        port: u16,
        /// True if the connections to Sentinel and server use TLS.
        tls: bool,
    },
}

/// A password of the store, which is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct StorePassword(String);

/// The certificate that this edge shows to the store and its key, both as PEM, which are never printed.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct StoreIdentity {
    /// The certificate, then its intermediates.
    pub certificate: Vec<u8>,
    /// The private key.
    pub key: Vec<u8>,
}

const NO_PASSWORD: UnfitFile = UnfitFile(Cow::Borrowed(
    "the file holds no password: it has one line of UTF-8 text",
));

/// The port of Redis and Valkey.
const SERVER_PORT: u16 = 6379;

/// The port of Sentinels.
const SENTINEL_PORT: u16 = 26379;

// === impl FleetSettings ===

impl FleetSettings {
    /// True if this edge is one of a fleet.
    pub const fn is_set(&self) -> bool {
        !self.store.is_empty()
    }
}

// === impl StoreAddress ===

impl StoreAddress {
    /// Reads an address.
    ///
    /// # Errors
    ///
    /// When the text has another form, or holds credentials.
    pub fn parse(text: &str) -> Result<Self, TextError> {
        if let Some(path) = text.strip_prefix("unix:") {
            let is_whole = path.starts_with('/') && !path.contains('\0');
            return is_whole
                .then(|| Self::Unix(PathBuf::from(path)))
                .ok_or(TextError::Malformed);
        }
        let url = Url::parse(text).map_err(|_| TextError::Malformed)?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(TextError::Credentials);
        }
        Self::of(&url).ok_or(TextError::Malformed)
    }

    fn of(url: &Url) -> Option<Self> {
        let is_plain = url.query().is_none() && url.fragment().is_none();
        let host = url.host_str().filter(|host| is_plain && !host.is_empty())?;
        // An IPv6 address stands in brackets in a URL only.
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        let path = url.path().trim_start_matches('/');
        let port = |usual| url.port().unwrap_or(usual);
        match url.scheme() {
            "redis" | "valkey" | "rediss" | "valkeys" => Some(Self::Server {
                host,
                port: port(SERVER_PORT),
                database: database(path)?,
                tls: url.scheme().ends_with('s') && url.scheme() != "redis",
            }),
            "sentinel" | "sentinels" if path.is_empty() => Some(Self::Sentinel {
                host,
                port: port(SENTINEL_PORT),
                tls: url.scheme().ends_with('s'),
            }),
            _ => None,
        }
    }

    /// True if it leads to a Sentinel.
    pub const fn is_sentinel(&self) -> bool {
        matches!(self, Self::Sentinel { .. })
    }

    /// True if connections to it use TLS.
    pub const fn uses_tls(&self) -> bool {
        matches!(
            self,
            Self::Server { tls: true, .. } | Self::Sentinel { tls: true, .. }
        )
    }
}

fn database(path: &str) -> Option<i64> {
    if path.is_empty() {
        return Some(0);
    }
    let is_number = path.len() <= 5 && path.bytes().all(|byte| byte.is_ascii_digit());
    path.parse().ok().filter(|_| is_number)
}

impl fmt::Display for StoreAddress {
    /// The address as the configuration writes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = |tls: bool| if tls { "s" } else { "" };
        let shown = |host: &str| {
            if host.contains(':') {
                format!("[{host}]")
            } else {
                host.to_owned()
            }
        };
        match self {
            Self::Server {
                host,
                port,
                database,
                tls,
            } => {
                write!(f, "redis{}://{}:{port}", scheme(*tls), shown(host))?;
                match database {
                    0 => Ok(()),
                    number => write!(f, "/{number}"),
                }
            }
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
            Self::Sentinel { host, port, tls } => {
                write!(f, "sentinel{}://{}:{port}", scheme(*tls), shown(host))
            }
        }
    }
}

// === impl StorePassword ===

impl StorePassword {
    /// Takes the one line of a file; white space around it does not count.
    ///
    /// # Errors
    ///
    /// When it is no such line. The error does not hold it.
    pub fn parse(file: &[u8]) -> Result<Self, UnfitFile> {
        let line = std::str::from_utf8(file.trim_ascii()).map_err(|_| NO_PASSWORD)?;
        if line.is_empty() || line.chars().any(char::is_control) {
            return Err(NO_PASSWORD);
        }
        Ok(Self(line.to_owned()))
    }

    /// The password, to be sent to the store and nowhere else.
    pub fn secret(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for StorePassword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StorePassword(redacted)")
    }
}

impl fmt::Debug for StoreIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StoreIdentity(redacted)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_addresses_and_writes_them_again() {
        for text in [
            "redis://valkey:6379",
            "redis://valkey:6379/3",
            "rediss://[::1]:6380",
            "unix:/run/valkey.sock",
            "sentinel://a:26379",
            "sentinels://a:26379",
        ] {
            assert_eq!(StoreAddress::parse(text).expect(text).to_string(), text);
        }
        let valkey = StoreAddress::parse("valkeys://store/2").unwrap();
        assert_eq!(valkey.to_string(), "rediss://store:6379/2");
        let is_sentinel = |text| StoreAddress::parse(text).unwrap().is_sentinel();
        assert!(is_sentinel("sentinel://a") && !is_sentinel("redis://a"));
        assert!(valkey.uses_tls() && !StoreAddress::parse("redis://store").unwrap().uses_tls());
    }

    #[test]
    fn other_texts_are_no_addresses() {
        for text in [
            "",
            "valkey:6379",
            "http://valkey",
            "redis://",
            "redis://valkey/x",
            "redis://valkey/1/2",
            "redis://valkey/-1",
            "redis://valkey?db=1",
            "sentinel://a/mymaster",
            "unix:run/valkey.sock",
        ] {
            assert_eq!(StoreAddress::parse(text), Err(TextError::Malformed), "{text}");
        }
        for text in ["redis://me@valkey", "rediss://:s3cret@valkey"] {
            assert_eq!(StoreAddress::parse(text), Err(TextError::Credentials), "{text}");
        }
    }

    #[test]
    fn a_password_is_one_line_and_never_printed() {
        let password = StorePassword::parse(b" s3cret \n").unwrap();
        assert_eq!(password.secret(), "s3cret");
        assert_eq!(format!("{password:?}"), "StorePassword(redacted)");
        for file in [&b""[..], b"\n", b"a\nb", b"\xff"] {
            assert_eq!(StorePassword::parse(file), Err(NO_PASSWORD), "{file:?}");
        }
    }
}
