//! The configuration that is found where no flag names one, and the settings that a failed start names.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output};

use crate::support::Directory;

/// Runs the program in a folder, without variables of its own.
fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_calendar-edge"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("CALENDAR_EDGE_") {
            command.env_remove(name);
        }
    }
    let command = command.args(arguments).current_dir(folder);
    command.output().expect("the program runs")
}

/// A file whose listener for operators cannot be opened while `taken` lives.
fn file(taken: &TcpListener) -> String {
    let admin = taken.local_addr().expect("an address");
    format!(
        "listen = \"127.0.0.1:0\"\n[origin]\nurl = \"http://127.0.0.1:1/wp-json\"\nread_index = false\n\
         [admin]\nlisten = \"{admin}\"\n"
    )
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_file_in_the_working_directory_is_found_and_named() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let directory = Directory::new("found-file");
    directory.write("edge.toml", &file(&taken));
    let checked = run(directory.path(), &["check", "--offline"]);
    assert!(
        text(&checked.stdout).contains("ok: the configuration edge.toml\n"),
        "{checked:?}"
    );
    // The start fails at its listener for operators, with the name of that setting.
    let served = run(directory.path(), &["serve"]);
    let errors = text(&served.stderr);
    assert!(errors.contains("\"file\":\"edge.toml\""), "{errors}");
    let admin = taken.local_addr().expect("an address");
    let reason = format!(
        "the address of `admin.listen` cannot be used: cannot listen at {admin}, where another process listens, which `ss -ltnp"
    );
    assert!(errors.contains(&reason), "{errors}");
    assert_eq!(served.status.code(), Some(1));
}

#[test]
fn what_is_named_comes_before_what_is_found() {
    let directory = Directory::new("found-after");
    directory.write("edge.toml", "nothing = 1\n");
    let other = directory.write("other.toml", "[origin]\nurl = \"http://127.0.0.1:1/wp-json\"\n");
    let found = run(directory.path(), &["check", "--offline"]);
    assert_eq!(found.status.code(), Some(78), "{found:?}");
    assert!(text(&found.stderr).contains("edge.toml:1:"), "{found:?}");
    let other = other.to_str().expect("text");
    let named = run(directory.path(), &["check", "--offline", "--config", other]);
    assert!(text(&named.stdout).contains("other.toml\n"), "{named:?}");
    let rooted = ["check", "--offline", "--origin", "http://127.0.0.1:1/wp-json"];
    let rooted = run(directory.path(), &rooted);
    assert!(
        text(&rooted.stdout).contains("ok: the configuration\n"),
        "{rooted:?}"
    );
}
