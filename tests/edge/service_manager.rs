//! The program under a service manager: notices, watchdog, exit statuses.

use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use crate::support::{Answer, Authority, Directory, EVENTS, Edge, Origin, Program, Reply};

const PROGRAM: &str = env!("CARGO_BIN_EXE_calendar-edge");
const UNIT: &str = include_str!("../../deploy/calendar-edge.service");

/// Maximum wait for a notice.
const PATIENCE: Duration = Duration::from_secs(20);

/// The socket of a service manager.
struct Manager {
    notices: UnixDatagram,
    path: PathBuf,
}

impl Manager {
    fn new(directory: &Directory) -> Self {
        let path = directory.path().join("notify");
        let notices = UnixDatagram::bind(&path).expect("a writable directory");
        notices.set_read_timeout(Some(PATIENCE)).expect("a socket");
        Self { notices, path }
    }

    /// The program as a child of this manager.
    fn command(&self) -> Command {
        let mut command = Command::new(PROGRAM);
        command.env("NOTIFY_SOCKET", &self.path);
        command
    }

    /// The next notice that does not come from the watchdog.
    fn next(&self) -> String {
        loop {
            let notice = self.any();
            if notice != "WATCHDOG=1" {
                return notice;
            }
        }
    }

    fn any(&self) -> String {
        let mut notice = [0; 4096];
        let length = self.notices.recv(&mut notice).expect("a notice");
        String::from_utf8_lossy(&notice[..length]).into_owned()
    }
}

fn file(directory: &Directory, origin: &Origin, listen: &str) -> PathBuf {
    let text = format!(
        "listen = \"{listen}\"\n[origin]\nread_index = false\nurl = \"{}/wp-json\"\n\
         namespace = \"tribe/events/v1\"\n[admin]\nlisten = \"127.0.0.1:0\"\n",
        origin.base()
    );
    directory.write("edge.toml", &text)
}

async fn get(program: &Program) -> u16 {
    Answer::to(Edge::client().get(program.url(EVENTS)))
        .await
        .status
        .as_u16()
}

/// The time in the notice of a reload.
fn reload_time(notice: &str) -> u64 {
    let time = notice
        .strip_prefix("RELOADING=1\nMONOTONIC_USEC=")
        .and_then(|rest| rest.strip_suffix("\nSTATUS=Reloading the configuration"));
    let time = time.unwrap_or_else(|| panic!("{notice} announces no reload"));
    time.parse().expect("a number")
}

#[tokio::test]
async fn the_manager_hears_of_ready_reloads_and_the_end() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let directory = Directory::new("notices");
    let manager = Manager::new(&directory);
    let config = file(&directory, &origin, "127.0.0.1:0");
    let mut program = Program::start(manager.command(), &config).await;
    let serving = format!("READY=1\nSTATUS=Serving at {}", program.address);
    assert_eq!(manager.next(), serving);

    program.signal("HUP");
    let first = reload_time(&manager.next());
    assert_eq!(
        manager.next(),
        "READY=1\nSTATUS=Serving; the configuration was reloaded"
    );
    // No signal: the change of the file is a reload as well.
    directory.write("edge.toml", "listen = 1");
    assert!(reload_time(&manager.next()) > first);
    assert_eq!(
        manager.next(),
        "READY=1\nSTATUS=Serving with the old configuration: the new one is refused, the log says why"
    );
    assert_eq!(get(&program).await, 200);

    program.signal("TERM");
    // `timeouts.drain`, and what the process needs itself.
    let stopping = "STOPPING=1\nEXTEND_TIMEOUT_USEC=14500000\nSTATUS=Draining";
    assert_eq!(manager.next(), stopping);
    assert_eq!(program.ended().await.code(), Some(0));
}

#[tokio::test]
async fn without_a_file_a_reload_is_answered_too() {
    let directory = Directory::new("no-file");
    let manager = Manager::new(&directory);
    let mut child = manager
        .command()
        .args([
            "serve",
            "--origin",
            "http://127.0.0.1:1/wp-json",
            "--listen",
            "127.0.0.1:0",
        ])
        .env_remove("CALENDAR_EDGE_CONFIG")
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    assert!(manager.next().starts_with("READY=1\n"));
    let id = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-HUP", &id])
            .status()
            .expect("kill")
            .success()
    );
    assert!(manager.next().starts_with("RELOADING=1\nMONOTONIC_USEC="));
    assert!(manager.next().starts_with("READY=1\n"));
    child.kill().expect("it runs");
    child.wait().expect("it ends");
}

#[tokio::test]
async fn the_watchdog_gets_signs_of_life_if_it_watches_this_process() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let directory = Directory::new("watchdog");
    let manager = Manager::new(&directory);
    let config = file(&directory, &origin, "127.0.0.1:0");
    let mut command = manager.command();
    command.env("WATCHDOG_USEC", "100000");
    let program = Program::start(command, &config).await;
    assert!(manager.next().starts_with("READY=1\n"));
    for _ in 0..3 {
        assert_eq!(manager.any(), "WATCHDOG=1");
    }
    drop(program);

    let mut command = manager.command();
    command.env("WATCHDOG_USEC", "1000").env("WATCHDOG_PID", "1");
    let program = Program::start(command, &config).await;
    let ready = manager.next();
    assert!(ready.starts_with("READY=1\n"), "{ready}");
    program.signal("TERM");
    assert!(
        manager.any().starts_with("STOPPING=1\n"),
        "nobody watches this process"
    );
}

#[tokio::test]
async fn a_manager_that_cannot_be_told_is_no_hindrance() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let directory = Directory::new("deaf");
    let config = file(&directory, &origin, "127.0.0.1:0");
    for socket in ["relative", "/nowhere/notify"] {
        let mut command = Command::new(PROGRAM);
        command.env("NOTIFY_SOCKET", socket);
        let program = Program::start(command, &config).await;
        assert_eq!(get(&program).await, 200, "{socket}");
    }
}

/// The table of a certificate and its key.
fn tls_lines(directory: &Directory, certificate: &str, key: &str) -> String {
    let certificate = directory.write("certificate.pem", certificate);
    let key = directory.write("key.pem", key);
    format!(
        "[tls]\ncertificate = \"{}\"\nkey = \"{}\"\n",
        certificate.display(),
        key.display()
    )
}

fn run(command: &str, config: &Path) -> Output {
    let mut program = Command::new(PROGRAM);
    program.args([command, "--config"]).arg(config);
    program.stdin(Stdio::null());
    if command == "check" {
        program.arg("--offline");
    }
    program.output().expect("the program starts")
}

/// The statuses after which the unit does not restart the edge.
fn final_statuses() -> Vec<i32> {
    let line = UNIT
        .lines()
        .find_map(|line| line.strip_prefix("RestartPreventExitStatus="));
    let statuses = line.expect("a line of the unit").split(' ');
    statuses.map(|status| status.parse().expect("a number")).collect()
}

#[test]
fn whatever_is_wrong_with_the_configuration_has_one_status() {
    let directory = Directory::new("statuses");
    let (one, other) = (
        Authority::new().certify("a.example"),
        Authority::new().certify("b.example"),
    );
    let head =
        |listen: &str| format!("listen = \"{listen}\"\n[origin]\nurl = \"http://127.0.0.1:1/wp-json\"\n");
    let tls =
        |certificate: &str, key: &str| head("tls:127.0.0.1:0") + &tls_lines(&directory, certificate, key);
    let gone = "[tls]\ncertificate = \"/nowhere/c.pem\"\nkey = \"/nowhere/k.pem\"\n";
    let cases: [(&str, String); 6] = [
        ("syntax", "listen = ".to_owned()),
        ("value", head("localhost:80")),
        (
            "filter",
            head("127.0.0.1:0") + "[log]\nfilter = \"calendar_edge=loud\"\n",
        ),
        (
            "secret",
            head("127.0.0.1:0") + "secret_file = \"/nowhere/secret\"\n",
        ),
        ("no certificate", head("tls:127.0.0.1:0")),
        ("lost certificate", head("tls:127.0.0.1:0") + gone),
    ];
    for (name, text) in cases {
        expect_78(&directory, name, &text);
    }
    for (name, certificate, key) in [
        ("empty certificate", "", one.key_pem.as_str()),
        ("empty key", &one.pem, ""),
        ("another's key", &one.pem, &other.key_pem),
    ] {
        expect_78(&directory, name, &tls(certificate, key));
    }
    assert_eq!(final_statuses(), [64, 78]);
}

fn expect_78(directory: &Directory, name: &str, text: &str) {
    let config = directory.write("edge.toml", text);
    for command in ["check", "serve"] {
        let output = run(command, &config);
        let told =
            String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(78), "{command}, {name}: {told}");
        assert!(!told.trim().is_empty(), "{command}, {name}");
    }
}
