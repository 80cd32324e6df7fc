//! The line of a request in the combined format, on standard output, and variables in the configuration file.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::support::{Directory, EVENTS};

const CONFIGURATION: &str = "listen = \"127.0.0.1:0\"\n[origin]\nurl = \"http://${EDGE_TEST_SITE}/wp-json\"\n\
                             namespace = \"tribe/events/v1\"\nread_index = false\n[log]\naccess = \"combined\"\n";

fn program(arguments: &[&str], config: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_calendar-edge"));
    command.args(arguments).arg("--config").arg(config);
    command.env_remove("CALENDAR_EDGE_LISTEN").stdin(Stdio::null());
    command
}

/// Ends with its test.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn address_in(line: &str) -> String {
    let at = line.find("127.0.0.1:").expect("an address");
    let address = line[at..].split(|letter: char| !letter.is_ascii_digit() && !".:".contains(letter));
    address.clone().next().expect("a part").to_owned()
}

fn ask(address: &str, program: &str) {
    let mut client = TcpStream::connect(address).expect("the edge listens");
    let head = format!(
        "GET {EVENTS}?page=x&token=secret HTTP/1.1\r\nHost: localhost\r\nReferer: http://a.example/?secret\r\n\
         Authorization: Basic c2VjcmV0OnNlY3JldA==\r\nUser-Agent: {program}\r\nConnection: close\r\n\r\n"
    );
    client.write_all(head.as_bytes()).expect("the edge reads");
    let mut answer = String::new();
    client.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
}

#[test]
fn requests_are_lines_of_the_combined_format_on_standard_output() {
    let directory = Directory::new("combined");
    let file = directory.write("edge.toml", CONFIGURATION);
    let child = program(&["serve"], &file)
        .env("EDGE_TEST_SITE", "127.0.0.1:9")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut serving = Ended(child.expect("the program starts"));
    let mut log = BufReader::new(serving.0.stderr.take().expect("a pipe")).lines();
    let mut requests = BufReader::new(serving.0.stdout.take().expect("a pipe")).lines();
    let listening = log
        .by_ref()
        .map_while(Result::ok)
        .find(|line| line.contains("listening for clients"));
    let address = address_in(&listening.expect("it listens"));
    for (sent, shown) in [
        ("tester/1", "tester/1"),
        ("a\" 200 9 \"\\\t", r#"a\" 200 9 \"\\"#),
    ] {
        ask(&address, sent);
        let line = requests.next().expect("a line").expect("text");
        let (before, rest) = line.split_once(" - - [").expect("a client");
        let (time, rest) = rest.split_once("] ").expect("a time");
        assert_eq!(before, "127.0.0.1");
        assert_eq!(time.len(), "10/Oct/2026:13:55:36 +0000".len(), "{time}");
        let (request, rest) = rest.split_once(" 400 ").expect("a status");
        assert_eq!(request, format!("\"GET {EVENTS} HTTP/1.1\""));
        let (bytes, rest) = rest.split_once(' ').expect("bytes");
        assert!(bytes.parse::<u32>().is_ok(), "{bytes}");
        assert_eq!(rest, format!("\"-\" \"{shown}\""));
        assert!(!line.contains("secret"), "{line}");
    }
    // Nothing is told twice.
    drop(serving);
    assert_eq!(
        log.map_while(Result::ok)
            .find(|line| line.contains("request served")),
        None
    );
}

#[test]
fn a_variable_that_is_not_set_is_a_problem_with_line_and_column() {
    let directory = Directory::new("variables");
    let file = directory.write("edge.toml", CONFIGURATION);
    let check = |site: &str| {
        let mut checked = program(&["check", "--offline"], &file);
        checked
            .env("EDGE_TEST_SITE", site)
            .output()
            .expect("the program starts")
    };
    assert_eq!(check("wp.example").status.code(), Some(0));
    let refused = check("");
    assert_eq!(refused.status.code(), Some(78));
    let told = String::from_utf8_lossy(&refused.stderr);
    for part in [
        "the variable `EDGE_TEST_SITE` is not set",
        "edge.toml:3:15",
        "`$${` stands for",
    ] {
        assert!(told.contains(part), "{part} is not in\n{told}");
    }
    // A value that does not fit is shown as the file has it.
    let refused = check("user:hidden@wp.example");
    let told = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(78));
    assert!(
        told.contains("${EDGE_TEST_SITE}") && !told.contains("hidden"),
        "{told}"
    );
}
