//! A real server of Redis or Valkey in a directory of its own, at a Unix socket.

use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use calendar_edge_core::settings::StoreAddress;
use guards::skips::skipped;
use rustix::process::{Pid, Signal, kill_process};

use super::program::Directory;

/// A running server, which ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Store {
    directory: Directory,
    server: Child,
    further: Vec<String>,
}

/// Names the program of the server; without it the first of `PROGRAMS` that is installed.
const VARIABLE: &str = "CALENDAR_EDGE_STORE_SERVER";
const PROGRAMS: [&str; 2] = ["redis-server", "valkey-server"];

// === impl Store ===

impl Store {
    /// Starts a server; none, with a line on the terminal, where it is not installed.
    pub(crate) fn start() -> Option<Self> {
        Self::start_with(&[])
    }

    /// The same with further arguments.
    pub(crate) fn start_with(further: &[&str]) -> Option<Self> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let directory = Directory::new(&format!("store-{count}"));
        let further: Vec<String> = further.iter().map(ToString::to_string).collect();
        let Some(server) = spawn(&directory, &further) else {
            skipped(&format!("{} is not installed", Self::program()));
            return None;
        };
        let store = Self {
            directory,
            server,
            further,
        };
        store.wait();
        Some(store)
    }

    /// The program of the server.
    pub(crate) fn program() -> &'static str {
        static PROGRAM: LazyLock<String> = LazyLock::new(|| {
            let is_installed = |name: &&str| Command::new(name).arg("--version").output().is_ok();
            let found = || PROGRAMS.into_iter().find(is_installed).unwrap_or(PROGRAMS[0]);
            std::env::var(VARIABLE).unwrap_or_else(|_| found().to_owned())
        });
        &PROGRAM
    }

    /// Sends a command to a port of this machine, by the command line client that comes with the server.
    pub(crate) fn ask_port(port: u16, password: Option<&str>, words: &[&str]) -> String {
        let port = port.to_string();
        let mut place = vec!["-p", &port];
        place.extend(
            password
                .into_iter()
                .flat_map(|password| ["--no-auth-warning", "-a", password]),
        );
        asked(&place, words)
    }

    /// Its address.
    pub(crate) fn address(&self) -> StoreAddress {
        StoreAddress::Unix(self.socket())
    }

    fn socket(&self) -> PathBuf {
        self.directory.path().join("s")
    }

    /// Sends a command by the command line client, and returns its output.
    pub(crate) fn ask(&self, words: &[&str]) -> String {
        asked(&["-s", self.socket().to_str().expect("text")], words)
    }

    /// The only key of the fleet with this name.
    pub(crate) fn key(&self, name: &str) -> String {
        let keys = self.ask(&["KEYS", &format!("ce:*:{name}")]);
        let mut keys = keys.lines();
        let key = keys.next().expect("a key of the fleet").to_owned();
        assert_eq!(keys.next(), None, "two fleets");
        key
    }

    /// Kills the server.
    pub(crate) fn kill(&mut self) {
        self.server.kill().expect("a running server");
        self.server.wait().expect("a dead server");
    }

    /// Starts it again, without its memory.
    pub(crate) fn restart(&mut self) {
        self.server = spawn(&self.directory, &self.further).expect("it started before");
        self.wait();
    }

    /// Keeps it from replying, with its connections open.
    pub(crate) fn pause(&self) {
        self.signal(Signal::STOP);
    }

    /// Lets it go on.
    pub(crate) fn resume(&self) {
        self.signal(Signal::CONT);
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.server), signal).expect("a running server");
    }

    fn wait(&self) {
        let began = Instant::now();
        while self.ask(&["PING"]) != "PONG" {
            assert!(
                began.elapsed() < Duration::from_secs(10),
                "the server does not answer"
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        // A server that was killed by a test is gone.
        drop(self.server.kill());
        drop(self.server.wait());
    }
}

/// The output of the command line client that stands beside the server.
fn asked(place: &[&str], words: &[&str]) -> String {
    let program = Store::program();
    let client = program.strip_suffix("-server").map(|name| format!("{name}-cli"));
    let client = client.expect("a program such as valkey-server");
    let output = Command::new(client).args(place).args(words).output();
    let output = output.expect("the client comes with the server");
    String::from_utf8(output.stdout).expect("text").trim().to_owned()
}

fn spawn(directory: &Directory, further: &[String]) -> Option<Child> {
    let program = Store::program();
    let started = Command::new(program)
        .args(["--port", "0", "--save", "", "--appendonly", "no", "--unixsocket"])
        .arg(directory.path().join("s"))
        .arg("--dir")
        .arg(directory.path())
        .args(further)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    match started {
        Ok(server) => Some(server),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => panic!("{program} does not start: {error}"),
    }
}
