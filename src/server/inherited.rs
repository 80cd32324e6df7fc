//! Sockets that the service manager opened before the process began: systemd's socket activation.

use std::io;
use std::net;
use std::os::unix;

use listenfd::ListenFd;

/// The passed sockets that no listener has taken yet, with their names.
#[derive(Debug, Default)]
pub struct InheritedSockets(Vec<(String, PassedSocket)>);

/// A listening socket; it does not block.
#[derive(Debug)]
pub(super) enum PassedSocket {
    Tcp(net::TcpListener),
    Unix(unix::net::UnixListener),
}

/// The reason why passed sockets cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct InheritError {
    message: String,
    /// The system's reason.
    #[source]
    cause: Option<io::Error>,
}

// === impl InheritedSockets ===

impl InheritedSockets {
    /// Takes the sockets that the environment announces (`sd_listen_fds(3)`); none if it announces them to another
    /// process. Removes `LISTEN_PID` and `LISTEN_FDS` from the environment: call it once, before there are threads.
    ///
    /// # Errors
    ///
    /// If a socket cannot be listened at, or if the names do not match the sockets.
    pub fn from_environment() -> Result<Self, InheritError> {
        let process = std::env::var("LISTEN_PID").ok().and_then(|id| id.parse().ok());
        if process != Some(std::process::id()) {
            return Ok(Self::default());
        }
        let names = std::env::var("LISTEN_FDNAMES").ok();
        let mut passed = ListenFd::from_env();
        let names = names_of(names.as_deref(), passed.len())?;
        let sockets = names.into_iter().enumerate();
        let sockets = sockets.map(|(index, name)| take(&mut passed, index, name));
        Ok(Self(sockets.collect::<Result<_, _>>()?))
    }

    /// Hands out the sockets of a name, in the order of the unit. A second call finds none.
    pub(super) fn take(&mut self, name: &str) -> Vec<PassedSocket> {
        let taken = self.0.extract_if(.., |(known, _)| known == name);
        taken.map(|(_, socket)| socket).collect()
    }

    /// The names of the sockets that no listener took.
    pub(crate) fn names(&self) -> Vec<&str> {
        self.0.iter().map(|(name, _)| name.as_str()).collect()
    }
}

/// One name for each socket. Without names all are `unknown`, as systemd calls them.
fn names_of(names: Option<&str>, sockets: usize) -> Result<Vec<String>, InheritError> {
    let Some(names) = names else {
        return Ok(vec!["unknown".to_owned(); sockets]);
    };
    let names: Vec<String> = names.split(':').map(str::to_owned).collect();
    if names.len() == sockets {
        Ok(names)
    } else {
        let message = format!("LISTEN_FDNAMES has {} names for {sockets} sockets", names.len());
        Err(InheritError { message, cause: None })
    }
}

fn take(passed: &mut ListenFd, index: usize, name: String) -> Result<(String, PassedSocket), InheritError> {
    let (fault, cause) = match ready(passed, index) {
        Ok(Some(socket)) if socket.listens() => return Ok((name, socket)),
        // One connection: the socket unit has `Accept=yes`.
        Ok(_) => ("does not listen; its unit needs Accept=no", None),
        Err(cause) => ("is neither a TCP nor a Unix stream socket", Some(cause)),
    };
    let message = format!("the socket {name} from the service manager {fault}");
    Err(InheritError { message, cause })
}

/// The socket at a place, as the runtime needs it.
fn ready(passed: &mut ListenFd, index: usize) -> io::Result<Option<PassedSocket>> {
    if let Ok(Some(socket)) = passed.take_tcp_listener(index) {
        socket.set_nonblocking(true)?;
        return Ok(Some(PassedSocket::Tcp(socket)));
    }
    let Some(socket) = passed.take_unix_listener(index)? else {
        return Ok(None);
    };
    socket.set_nonblocking(true)?;
    Ok(Some(PassedSocket::Unix(socket)))
}

// === impl PassedSocket ===

impl PassedSocket {
    /// False for a connection.
    #[cfg(target_os = "linux")]
    fn listens(&self) -> bool {
        let listens = match self {
            Self::Tcp(socket) => socket2::SockRef::from(socket).is_listener(),
            Self::Unix(socket) => socket2::SockRef::from(socket).is_listener(),
        };
        // A sandbox may not know the option.
        listens.unwrap_or(true)
    }

    /// Only Linux has systemd.
    #[cfg(not(target_os = "linux"))]
    const fn listens(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_socket_has_one_name() {
        assert_eq!(names_of(Some("edge:admin"), 2).unwrap(), ["edge", "admin"]);
        assert_eq!(names_of(None, 2).unwrap(), ["unknown", "unknown"]);
        assert_eq!(names_of(Some("edge:edge"), 2).unwrap(), ["edge", "edge"]);
        let error = names_of(Some("edge"), 2).unwrap_err().to_string();
        assert_eq!(error, "LISTEN_FDNAMES has 1 names for 2 sockets");
    }

    #[test]
    fn a_name_hands_out_all_of_its_sockets_once() {
        let socket = |name: &str| {
            let listener = net::TcpListener::bind("127.0.0.1:0").unwrap();
            (name.to_owned(), PassedSocket::Tcp(listener))
        };
        let mut sockets = InheritedSockets(vec![socket("edge"), socket("admin"), socket("edge")]);
        assert_eq!(sockets.take("edge").len(), 2);
        assert!(sockets.take("edge").is_empty());
        assert_eq!(sockets.names(), ["admin"]);
    }
}
