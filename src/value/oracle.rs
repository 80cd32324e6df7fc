//! Live PHP as a second opinion in tests: one process reads a batch of texts and prints its verdicts.

use std::io::{ErrorKind, Write};
use std::process::{Command, Stdio};

use super::fixture;

/// PHP's verdicts on the texts, in their order, by a script of `fixtures/`; none where PHP 8.2 is not installed.
pub(super) fn verdicts(script: &str, texts: &[Vec<u8>]) -> Option<Vec<String>> {
    if !is_php_8_2() {
        println!("skipped: no PHP 8.2 here to compare with");
        return None;
    }
    let mut php = Command::new("php")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/").to_owned() + script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("PHP starts");
    let lines: String = texts.iter().map(|text| fixture::escape(text) + "\n").collect();
    let mut stdin = php.stdin.take().expect("stdin is piped");
    let writer = std::thread::spawn(move || stdin.write_all(lines.as_bytes()));
    let output = php.wait_with_output().expect("PHP ends");
    writer
        .join()
        .expect("the writer ends")
        .expect("PHP reads all lines");
    let output = String::from_utf8(output.stdout).expect("verdicts are ASCII");
    let rows: Vec<String> = fixture::rows(&output)
        .into_iter()
        .map(|(_, columns)| columns.join("\t"))
        .collect();
    assert_eq!(rows.len(), texts.len(), "one verdict a text");
    Some(rows)
}

/// How many random texts a comparison takes: `CALENDAR_EDGE_ORACLE_CASES`, else a number that keeps tests quick.
pub(super) fn cases() -> usize {
    let wanted = std::env::var("CALENDAR_EDGE_ORACLE_CASES").ok();
    wanted.and_then(|count| count.parse().ok()).unwrap_or(3000)
}

fn is_php_8_2() -> bool {
    let version = Command::new("php").args(["-r", "echo PHP_VERSION;"]).output();
    match version {
        Ok(output) => output.stdout.starts_with(b"8.2."),
        Err(error) if error.kind() == ErrorKind::NotFound => false,
        Err(error) => panic!("PHP can't be asked: {error}"),
    }
}
