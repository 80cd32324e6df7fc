//! Notices to the service manager: ready, reloading, stopping, alive (`sd_notify(3)`).

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// The service manager; clones report for the same process.
///
/// Without one, as on a terminal or in a container, notices go nowhere.
#[derive(Debug, Clone, Default)]
pub struct ServiceManager(Option<Arc<Mailbox>>);

#[derive(Debug)]
struct Mailbox {
    socket: UnixDatagram,
    address: SocketAddr,
    patience: Option<Duration>,
}

/// The longest wait for a service manager that does not read its socket.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

// === impl ServiceManager ===

impl ServiceManager {
    /// The service manager that `NOTIFY_SOCKET` names, with the watchdog of `WATCHDOG_USEC`. Logs a socket that cannot
    /// be used, and goes on without.
    pub fn from_environment() -> Self {
        let Some(name) = std::env::var_os("NOTIFY_SOCKET").filter(|name| !name.is_empty()) else {
            return Self::default();
        };
        match Mailbox::open(&name, &|variable| std::env::var_os(variable)) {
            Ok(mailbox) => Self(Some(Arc::new(mailbox))),
            Err(error) => {
                tracing::warn!(%error, "no notice can be sent to the service manager");
                Self::default()
            }
        }
    }

    /// The edge listens.
    pub(crate) fn ready(&self, status: &str) {
        self.send(&format!("READY=1\nSTATUS={}", line(status)));
    }

    /// A reload begins; [`Self::ready`] ends it. With the time, as `Type=notify-reload` demands.
    pub(crate) fn reloading(&self) {
        let now = clock_gettime(ClockId::Monotonic);
        let microseconds = now
            .tv_sec
            .saturating_mul(1_000_000)
            .saturating_add(now.tv_nsec / 1_000);
        self.send(&format!(
            "RELOADING=1\nMONOTONIC_USEC={microseconds}\nSTATUS=Reloading the configuration"
        ));
    }

    /// The edge ends within `longest`, which may be longer than the unit's `TimeoutStopSec`.
    pub(crate) fn stopping(&self, longest: Duration) {
        self.send(&format!(
            "STOPPING=1\nEXTEND_TIMEOUT_USEC={}\nSTATUS=Draining",
            longest.as_micros()
        ));
    }

    /// The process works.
    pub(super) fn alive(&self) {
        self.send("WATCHDOG=1");
    }

    /// The time without a sign of life after which the service manager restarts the process; none if it does not watch.
    pub(super) fn patience(&self) -> Option<Duration> {
        self.0.as_ref().and_then(|mailbox| mailbox.patience)
    }

    fn send(&self, notice: &str) {
        let Some(mailbox) = &self.0 else { return };
        if let Err(error) = mailbox.socket.send_to_addr(notice.as_bytes(), &mailbox.address) {
            tracing::debug!(%error, "the service manager does not take a notice");
        }
    }
}

// === impl Mailbox ===

impl Mailbox {
    fn open(name: &OsStr, lookup: &dyn Fn(&str) -> Option<OsString>) -> io::Result<Self> {
        let socket = UnixDatagram::unbound()?;
        socket.set_write_timeout(Some(LONGEST_WAIT))?;
        Ok(Self {
            socket,
            address: address(name)?,
            patience: patience(lookup),
        })
    }
}

/// The path of a socket, or an abstract name after an `@`.
fn address(name: &OsStr) -> io::Result<SocketAddr> {
    match name.as_bytes() {
        [b'/', ..] => SocketAddr::from_pathname(Path::new(name)),
        [b'@', name @ ..] => abstract_address(name),
        _ => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "NOTIFY_SOCKET is neither a path nor an abstract name",
        )),
    }
}

#[cfg(target_os = "linux")]
fn abstract_address(name: &[u8]) -> io::Result<SocketAddr> {
    use std::os::linux::net::SocketAddrExt as _;
    SocketAddr::from_abstract_name(name)
}

#[cfg(not(target_os = "linux"))]
fn abstract_address(_: &[u8]) -> io::Result<SocketAddr> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The interval of the watchdog, if it watches this process.
fn patience(lookup: &dyn Fn(&str) -> Option<OsString>) -> Option<Duration> {
    let number = |variable| lookup(variable)?.to_str()?.parse::<u64>().ok();
    let is_meant =
        lookup("WATCHDOG_PID").is_none() || number("WATCHDOG_PID") == Some(std::process::id().into());
    let microseconds = number("WATCHDOG_USEC").filter(|microseconds| is_meant && *microseconds > 0);
    microseconds.map(Duration::from_micros)
}

/// The text without line ends, which would begin a further assignment.
fn line(status: &str) -> String {
    status.replace(|letter: char| letter.is_control(), " ")
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A service manager in the test, and the socket that it reads.
    pub(in super::super) fn with_watchdog(patience: Duration) -> (ServiceManager, UnixDatagram) {
        let name = format!(
            "@calendar-edge-{}-{:?}",
            std::process::id(),
            std::thread::current().id()
        );
        let address = address(name.as_ref()).unwrap();
        let reads = UnixDatagram::bind_addr(&address).unwrap();
        let lookup =
            |variable: &str| (variable == "WATCHDOG_USEC").then(|| patience.as_micros().to_string().into());
        let mailbox = Mailbox::open(name.as_ref(), &lookup).unwrap();
        (ServiceManager(Some(Arc::new(mailbox))), reads)
    }

    pub(in super::super) fn next(reads: &UnixDatagram) -> io::Result<String> {
        let mut notice = [0; 512];
        let length = reads.recv(&mut notice)?;
        Ok(String::from_utf8_lossy(&notice[..length]).into_owned())
    }

    #[test]
    fn notices_are_single_datagrams_of_assignments() {
        let (manager, reads) = with_watchdog(Duration::from_secs(1));
        manager.ready("serving\nWATCHDOG=trigger");
        assert_eq!(next(&reads).unwrap(), "READY=1\nSTATUS=serving WATCHDOG=trigger");
        manager.stopping(Duration::from_secs(12));
        assert_eq!(
            next(&reads).unwrap(),
            "STOPPING=1\nEXTEND_TIMEOUT_USEC=12000000\nSTATUS=Draining"
        );
    }

    #[test]
    fn only_a_watchdog_for_this_process_counts() {
        let own = std::process::id().to_string();
        for (microseconds, process, expected) in [
            (Some("3000000"), None, Some(3)),
            (Some("3000000"), Some(own.as_str()), Some(3)),
            (Some("3000000"), Some("1"), None),
            (Some("3000000"), Some("x"), None),
            (Some("0"), None, None),
            (Some("soon"), None, None),
            (None, None, None),
        ] {
            let lookup = |variable: &str| match variable {
                "WATCHDOG_USEC" => microseconds.map(Into::into),
                _ => process.map(Into::into),
            };
            assert_eq!(
                patience(&lookup),
                expected.map(Duration::from_secs),
                "{microseconds:?} {process:?}"
            );
        }
    }

    #[test]
    fn a_socket_of_another_family_is_refused() {
        assert!(address("vsock:2:1234".as_ref()).is_err());
        assert!(address("relative".as_ref()).is_err());
    }
}
