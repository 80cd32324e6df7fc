//! The program under a service manager: notices, watchdog, passed sockets, exit statuses.

use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::support::{
    Answer, Authority, Directory, EVENTS, Edge, Origin, Program, RawClient, Reply, raw_get,
};

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
        "READY=1\nSTATUS=Serving with the old configuration: the new one is refused, the log has the reason"
    );
    assert_eq!(get(&program).await, 200);

    program.signal("TERM");
    // `timeouts.drain`, and what the process needs itself.
    let stopping = "STOPPING=1\nEXTEND_TIMEOUT_USEC=17500000\nSTATUS=Draining";
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

/// A shell that passes its standard input and output as systemd passes sockets, to itself or to another process.
fn passing(names: &str, process: &str, sockets: [OwnedFd; 2]) -> Command {
    let script = format!(
        "exec 3<&0 4<&1 0</dev/null 1>/dev/null; \
         LISTEN_PID={process} LISTEN_FDS=2 LISTEN_FDNAMES={names} exec \"$0\" \"$@\""
    );
    let mut command = Command::new("sh");
    let [first, second] = sockets;
    command.args(["-c", &script, PROGRAM]).stdin(first).stdout(second);
    command
}

fn tcp() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").expect("a free port")
}

#[tokio::test]
async fn passed_sockets_take_the_place_of_configured_ones() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let directory = Directory::new("activation");
    let text = format!(
        "listen = \"systemd:edge\"\n[origin]\nread_index = false\nurl = \"{}/wp-json\"\n\
         [admin]\nlisten = \"systemd:edge-admin.socket\"\n",
        origin.base()
    );
    let config = directory.write("edge.toml", &text);
    let (clients, operators) = (tcp(), tcp());
    let address = clients.local_addr().expect("an address");
    let admin = operators.local_addr().expect("an address");
    // Systemd listens first: a client that connects before the start gets its response after it.
    let mut early = RawClient::connect(address).await;
    early.send(raw_get(EVENTS)).await;

    let command = passing("edge:edge-admin.socket", "$$", [clients.into(), operators.into()]);
    let mut program = Program::start_with_input(command, &config).await;

    assert_eq!((program.address, program.admin), (address, admin));
    assert_eq!(early.answer().await.status, 200);
    assert_eq!(get(&program).await, 200);
    let readyz = Edge::client().get(format!("http://{admin}/readyz"));
    assert_eq!(Answer::to(readyz).await.status, 200);
    drop(early);
    program.signal("TERM");
    assert_eq!(program.ended().await.code(), Some(0));
}

#[tokio::test]
async fn one_name_stands_for_several_sockets_and_unused_ones_are_logged() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let directory = Directory::new("several");
    let path = directory.path().join("edge.sock");
    let unix = UnixListener::bind(&path).expect("a writable directory");
    let config = file(&directory, &origin, "systemd:edge");
    let command = passing("edge:edge", "$$", [tcp().into(), unix.into()]);
    let mut program = Program::start_with_input(command, &config).await;
    assert_eq!(get(&program).await, 200);
    let mut client = tokio::net::UnixStream::connect(&path).await.expect("it listens");
    let request = format!("GET {EVENTS} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    client.write_all(request.as_bytes()).await.expect("it reads");
    let mut answer = String::new();
    client.read_to_string(&mut answer).await.expect("it answers");
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    drop(client);
    program.signal("TERM");
    assert_eq!(program.ended().await.code(), Some(0));
    assert!(path.exists(), "the file belongs to the service manager");

    let mut command = passing("edge:forgotten", "$$", [tcp().into(), tcp().into()]);
    command
        .args(["serve", "--config"])
        .arg(&config)
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let log = std::io::BufReader::new(child.stderr.take().expect("a pipe"));
    let mut lines = std::io::BufRead::lines(log).map_while(Result::ok);
    let warning = lines.find(|line| line.contains("sockets that no listener names"));
    assert!(warning.expect("a warning").contains("\"names\":\"forgotten\""));
    child.kill().expect("it runs");
    child.wait().expect("it ends");
}

#[tokio::test]
async fn passed_sockets_can_speak_tls() {
    let origin = Origin::always(Reply::json(200, "{}")).await;
    let directory = Directory::new("activation-tls");
    let authority = Authority::new();
    let certificate = authority.certify("127.0.0.1");
    let tls = tls_lines(&directory, &certificate.pem, &certificate.key_pem);
    let config = file(&directory, &origin, "tls:systemd:edge");
    let text = std::fs::read_to_string(&config).expect("it was written") + &tls;
    let config = directory.write("edge.toml", &text);
    let command = passing("edge:edge", "$$", [tcp().into(), tcp().into()]);
    let program = Program::start_with_input(command, &config).await;
    let client = reqwest::Client::builder()
        .tls_backend_preconfigured(authority.trust())
        .build()
        .expect("a client");
    let url = format!("https://{}{EVENTS}", program.address);
    assert_eq!(Answer::to(client.get(url)).await.status, 200);
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

#[test]
fn a_socket_that_nobody_passed_is_a_matter_of_configuration() {
    let directory = Directory::new("not-passed");
    let config = directory.write(
        "edge.toml",
        "listen = \"systemd:edge\"\n[origin]\nurl = \"http://127.0.0.1:1/wp-json\"\n",
    );
    let told = |output: &Output| String::from_utf8_lossy(&output.stderr).into_owned();
    let none = run("serve", &config);
    let reason = "cannot listen at systemd:edge: the service manager passed no socket of this name";
    assert_eq!(none.status.code(), Some(78));
    assert!(told(&none).contains(reason), "{}", told(&none));

    // Another name, another process, a connection of `Accept=yes`.
    let (connection, _other_end) = std::os::unix::net::UnixStream::pair().expect("two ends");
    let refused = [
        (passing("other:more", "$$", [tcp().into(), tcp().into()]), reason),
        (passing("edge:more", "1", [tcp().into(), tcp().into()]), reason),
        (
            passing("edge:more:most", "$$", [tcp().into(), tcp().into()]),
            "3 names for 2 sockets",
        ),
        (
            passing("edge:more", "$$", [tcp().into(), connection.into()]),
            "its unit needs Accept=no",
        ),
    ];
    for (mut command, reason) in refused {
        command.args(["serve", "--config"]).arg(&config);
        let output = command
            .stderr(Stdio::piped())
            .output()
            .expect("the program starts");
        assert_eq!(output.status.code(), Some(78), "{}", told(&output));
        assert!(told(&output).contains(reason), "{}", told(&output));
    }
}
