//! The built program as a running process: its log, its signals, its configuration file.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::mpsc;

/// Maximum wait for a log line.
const PATIENCE: Duration = Duration::from_secs(20);

/// A serving program that is killed with its test.
#[derive(Debug)]
pub(crate) struct Program {
    child: Child,
    log: mpsc::UnboundedReceiver<Value>,
    /// The lines of the start that were not read yet.
    at_start: Vec<Value>,
    pub(crate) address: SocketAddr,
    pub(crate) admin: SocketAddr,
}

/// A directory of one test, removed at its end.
#[derive(Debug)]
pub(crate) struct Directory(PathBuf);

// === impl Directory ===

impl Directory {
    /// A fresh directory; `name` is the test's own.
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("edge-{}-{name}", std::process::id()));
        // A killed run with the same number may have left one.
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a writable directory");
        Self(path)
    }

    /// Its path.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file as a careful editor does, for this account alone: beside it first, then renamed over it.
    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        let beside = self.0.join(format!("{name}.new"));
        fs::write(&beside, text).expect("a writable file");
        #[cfg(unix)]
        fs::set_permissions(&beside, std::os::unix::fs::PermissionsExt::from_mode(0o600))
            .expect("a file of ours");
        fs::rename(&beside, &path).expect("a writable directory");
        path
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        // Remains are left for the system to clean.
        let _ = fs::remove_dir_all(&self.0);
    }
}

// === impl Program ===

impl Program {
    /// Serves with this file, which must name TCP listeners, and waits until it listens.
    pub(crate) async fn serve(config: &Path) -> Self {
        Self::start(Command::new(env!("CARGO_BIN_EXE_calendar-edge")), config).await
    }

    /// The same by a command that ends in the program's path.
    pub(crate) async fn start(mut command: Command, config: &Path) -> Self {
        command.stdin(Stdio::null());
        Self::start_with_input(command, config).await
    }

    /// The same by a command whose standard input is set.
    pub(crate) async fn start_with_input(mut command: Command, config: &Path) -> Self {
        command.args(["serve", "--config"]).arg(config);
        Self::spawn(command).await
    }

    async fn spawn(mut command: Command) -> Self {
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("CALENDAR_EDGE_") {
                command.env_remove(name);
            }
        }
        command.stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let stderr = child.stderr.take().expect("a pipe");
        let (sender, log) = mpsc::unbounded_channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                // A program that fails to start reports it in plain text.
                let line = serde_json::from_str(&line).unwrap_or(Value::String(line));
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let nowhere = SocketAddr::from(([0, 0, 0, 0], 0));
        let mut this = Self {
            child,
            log,
            at_start: Vec::new(),
            address: nowhere,
            admin: nowhere,
        };
        this.address = this.listening("listening for clients").await;
        this.admin = this.listening("listening for operators").await;
        this
    }

    async fn listening(&mut self, message: &str) -> SocketAddr {
        let lines = self.received_up_to(message).await;
        let line = lines.last().expect("the one that was waited for");
        let address = line["address"].as_str().expect("an address");
        let address = address.strip_prefix("tls:").unwrap_or(address);
        let address = address.parse().expect("a TCP address");
        self.at_start.extend(lines);
        address
    }

    /// The next log line with this message after those of the start; those before it are skipped.
    pub(crate) async fn logged(&mut self, message: &str) -> Value {
        let mut lines = self.received_up_to(message).await;
        lines.pop().expect("the one that was waited for")
    }

    /// All log lines that were not read yet, from those of the start up to the next one with this message.
    pub(crate) async fn logged_up_to(&mut self, message: &str) -> Vec<Value> {
        let mut lines = std::mem::take(&mut self.at_start);
        if let Some(at) = lines.iter().position(|line| line["message"] == message) {
            self.at_start = lines.split_off(at + 1);
        } else {
            lines.extend(self.received_up_to(message).await);
        }
        lines
    }

    async fn received_up_to(&mut self, message: &str) -> Vec<Value> {
        let mut lines = Vec::new();
        let found = tokio::time::timeout(PATIENCE, async {
            while let Some(line) = self.log.recv().await {
                let is_found = line["message"] == message;
                lines.push(line);
                if is_found {
                    return true;
                }
            }
            false
        });
        let found = found.await.unwrap_or(false);
        assert!(found, "{message} was not logged: {lines:#?}");
        lines
    }

    /// Sends a signal by its name: `HUP`, `TERM`.
    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let told = Command::new("kill").args([&format!("-{name}"), &id]).status();
        assert!(told.expect("there is a kill").success());
    }

    /// Waits for its end.
    pub(crate) async fn ended(&mut self) -> ExitStatus {
        loop {
            if let Some(status) = self.child.try_wait().expect("a child of this process") {
                return status;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// The URL of a target at the edge.
    pub(crate) fn url(&self, target: &str) -> String {
        format!("http://{}{target}", self.address)
    }

    /// The value of one series on the admin listener.
    pub(crate) async fn metric(&self, series: &str) -> f64 {
        let page = super::Edge::client().get(format!("http://{}/metrics", self.admin));
        let page = super::Answer::to(page).await.body;
        let value = page
            .lines()
            .find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
        let value = value.unwrap_or_else(|| panic!("{series} is not in\n{page}"));
        value.parse().expect("a number")
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
