//! The program from the shell: exit statuses, output, environment, signals.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Output, Stdio};

use guards::skips::skipped;

use crate::support::Edge;

/// The program without the variables of the test's environment that it would read.
fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_calendar-edge"));
    command.args(arguments).stdin(Stdio::null());
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("CALENDAR_EDGE_") {
            command.env_remove(name);
        }
    }
    command
}

fn output(arguments: &[&str]) -> Output {
    program(arguments).output().expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A serving program that is stopped with the test.
struct Serving(Child);

impl Drop for Serving {
    fn drop(&mut self) {
        // It may have ended already, as the test intended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn exit_statuses_tell_usage_configuration_and_findings_apart() {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/deploy/edge.example.toml");
    let broken = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/config/unknown-keys.toml");
    let cases: [(&[&str], i32); 13] = [
        (&["--version"], 0),
        (&["--help"], 0),
        (&["serve", "--help"], 0),
        (&[], 64),
        (&["sreve"], 64),
        (&["serve", "--mode", "loose"], 64),
        (&["serve", "--no-such-flag"], 64),
        (&["explain", "GET", "no-path"], 64),
        (&["serve"], 78),
        (&["serve", "--config", broken], 78),
        (&["check", "--config", broken, "--offline"], 78),
        (&["migration", "verify", "--config", broken], 78),
        (&["check", "--config", example, "--offline"], 0),
    ];
    for (arguments, status) in cases {
        assert_eq!(output(arguments).status.code(), Some(status), "{arguments:?}");
    }
}

#[test]
fn a_bad_configuration_is_shown_whole_on_standard_error() {
    let broken = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/config/unknown-keys.toml");
    let output = output(&["serve", "--config", broken]);
    let complaints = text(&output.stderr);
    assert!(output.stdout.is_empty());
    assert!(complaints.contains("did you mean `namespaces`?"), "{complaints}");
    assert!(
        complaints.contains("14 problems in the configuration"),
        "{complaints}"
    );
}

#[test]
fn the_environment_stands_in_for_flags() {
    let mut command = program(&["check", "--offline"]);
    command.env("CALENDAR_EDGE_ORIGIN", "https://wp.example.org/wp-json");
    let fine = command.output().expect("the program starts");
    assert_eq!(fine.status.code(), Some(0));
    command.env("CALENDAR_EDGE_MODE", "loose");
    let output = command.output().expect("the program starts");
    assert_eq!(output.status.code(), Some(78));
    assert!(text(&output.stderr).contains("--> CALENDAR_EDGE_MODE"));
}

#[test]
fn a_reader_that_stops_early_is_no_error() {
    let mut child = program(&["print", "openapi"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stderr), "");
}

fn terminate(serving: &mut Serving) -> Option<i32> {
    let id = serving.0.id().to_string();
    let told = Command::new("kill").args(["-TERM", &id]).status();
    assert!(told.expect("there is a kill").success());
    serving.0.wait().expect("it ends").code()
}

#[test]
fn serves_until_it_is_told_to_stop() {
    let arguments = [
        "serve",
        "--origin",
        "http://127.0.0.1:1/wp-json",
        "--listen",
        "127.0.0.1:0",
    ];
    let child = program(&arguments).stderr(Stdio::piped()).spawn();
    let mut serving = Serving(child.expect("the program starts"));
    let errors = serving.0.stderr.take().expect("a pipe");
    let mut lines = BufReader::new(errors).lines().map_while(Result::ok);
    let listening = lines.find(|line| line.contains("listening for clients"));
    assert!(listening.is_some_and(|line| line.contains("127.0.0.1:")));
    assert_eq!(terminate(&mut serving), Some(0));
    assert!(lines.any(|line| line.contains("drained")));
}

#[tokio::test]
async fn the_demo_needs_nothing_and_its_calendar_passes_the_check() {
    let child = program(&["demo", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"])
        .env("CALENDAR_EDGE_ORIGIN", "ignored")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut serving = Serving(child.expect("the program starts"));
    let banner = serving.0.stdout.take().expect("a pipe");
    let mut lines = BufReader::new(banner).lines().map_while(Result::ok);
    let page = lines.find(|line| line.contains("page for operators"));
    let page = page.expect("the page is named");
    let page = page
        .split(' ')
        .find(|word| word.starts_with("http"))
        .expect("a URL");
    let shown = Edge::client().get(page).send().await.expect("the page");
    let shown = shown.text().await.expect("a text");
    assert!(shown.contains("<title>calendar-edge</title>"), "{page}");
    let curl = lines
        .find(|line| line.starts_with("curl "))
        .expect("a line to try");
    let url = curl.split('\'').nth(1).expect("a quoted address");
    let root = url.split("/calendar/").next().expect("the REST root");
    let checked = output(&["check", "--origin", root]);
    assert_eq!(checked.status.code(), Some(0), "{}", text(&checked.stdout));
    assert_eq!(terminate(&mut serving), Some(0));
}

#[test]
fn a_taken_address_ends_the_program() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = taken.local_addr().expect("an address").to_string();
    let output = output(&[
        "serve",
        "--origin",
        "http://127.0.0.1:1/wp-json",
        "--listen",
        &address,
    ]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains(&address));
}

#[test]
fn each_shell_gets_completions_and_each_command_a_page() {
    for (shell, part) in [
        ("bash", "complete -F _calendar__edge"),
        ("zsh", "#compdef calendar-edge"),
        ("fish", "complete -c calendar-edge"),
        ("elvish", "edit:completion"),
        ("powershell", "Register-ArgumentCompleter"),
    ] {
        let output = output(&["print", "completions", shell]);
        let script = text(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{shell}");
        assert!(
            script.contains(part) && script.contains("init"),
            "{shell}: {script}"
        );
    }
    for (command, part) in [
        (&["print", "man"][..], ".TH calendar-edge 1"),
        (&["print", "man", "init"], ".TH calendar-edge-init 1"),
        (
            &["print", "man", "migration", "report"],
            ".TH calendar-edge-migration-report 1",
        ),
    ] {
        let page = text(&output(command).stdout);
        assert!(page.contains(part), "{command:?}: {page}");
    }
    assert_eq!(output(&["print", "man", "nothing"]).status.code(), Some(64));
    assert_eq!(
        output(&["print", "completions", "nothing"]).status.code(),
        Some(64)
    );
}

#[test]
fn the_script_for_bash_completes_commands_and_flags() {
    let script = r#"eval "$("$0" print completions bash)"
        COMP_WORDS=(calendar-edge in); COMP_CWORD=1; _calendar__edge calendar-edge in calendar-edge; echo "${COMPREPLY[@]}"
        COMP_WORDS=(calendar-edge init --fo); COMP_CWORD=2; _calendar__edge calendar-edge --fo init; echo "${COMPREPLY[@]}""#;
    let shell = Command::new("bash")
        .args(["-c", script, env!("CARGO_BIN_EXE_calendar-edge")])
        .stdin(Stdio::null())
        .output();
    let Ok(completed) = shell else {
        skipped("there is no bash");
        return;
    };
    assert_eq!(
        text(&completed.stdout),
        "init\n--force\n",
        "{}",
        text(&completed.stderr)
    );
}

/// The program on a terminal, which util-linux's `script` provides; none without it.
fn on_terminal(arguments: &str, variables: &[(&str, &str)]) -> Option<String> {
    let command = format!("{} {arguments}", env!("CARGO_BIN_EXE_calendar-edge"));
    let mut terminal = Command::new("script");
    terminal
        .args(["-qec", &command, "/dev/null"])
        .stdin(Stdio::null());
    // CI and CLICOLOR_FORCE demand colours on a terminal of any kind.
    for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "CI"] {
        terminal.env_remove(variable);
    }
    terminal.env("TERM", "xterm").envs(variables.iter().copied());
    let output = terminal.output();
    if output.is_err() {
        skipped("there is no `script`");
    }
    Some(text(&output.ok()?.stdout))
}

#[test]
fn colours_are_for_terminals_that_want_them() {
    const ESCAPE: char = '\u{1b}';
    let check = "check --origin http://127.0.0.1:1/wp-json";
    for command in ["--help", check] {
        let Some(coloured) = on_terminal(command, &[]) else {
            return;
        };
        assert!(coloured.contains(ESCAPE), "{coloured}");
        for variable in [("NO_COLOR", "1"), ("TERM", "dumb")] {
            let plain = on_terminal(command, &[variable]).expect("there is a terminal");
            assert!(
                !plain.contains(ESCAPE) && plain.len() > 20,
                "{variable:?}: {plain}"
            );
        }
        let piped = output(&command.split(' ').collect::<Vec<_>>());
        assert!(!text(&piped.stdout).contains(ESCAPE), "{command}");
    }
}

#[test]
fn examples_of_the_help_that_need_no_site_work() {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/deploy/edge.example.toml");
    for arguments in [
        &["print", "openapi"][..],
        &["check", "--config", example, "--offline"],
        &["print", "man", "serve"],
    ] {
        let output = output(arguments);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{arguments:?}: {}",
            text(&output.stderr)
        );
        assert!(!output.stdout.is_empty(), "{arguments:?}");
    }
}
