//! The output of `check` and `explain` about rules for the rest of the site.

use std::process::Command;

use crate::support::{Directory, Program};

const FILE: &str = "other = \"forward\"\norigin.url = \"http://wp.example/wp-json\"\n\
    [[surface]]\nroutes = [\"users\", \"xmlrpc\"]\ncallers = \"credentials\"\nmode = \"enforce\"\n\
    [[surface]]\nname = \"late\"\nroutes = [\"wp/v2/users/*\"]\nrate = \"5/1m\"\n\
    [[surface]]\nname = \"door\"\nroutes = [\"login\"]\nrate = \"5/1m\"\n";

fn said(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_calendar-edge"))
        .args(arguments)
        .output();
    String::from_utf8(output.expect("the program runs").stdout).expect("text")
}

#[test]
fn check_prints_the_list_of_the_plugin() {
    let directory = Directory::new("surface-check");
    let file = directory.write("edge.toml", FILE);
    let said = said(&["check", "--offline", "--config", file.to_str().expect("text")]);
    for part in [
        "define( 'CALENDAR_EDGE_SURFACE', 'credentials wp/v2/users, credentials wp/v2/users/*' );",
        "a rule at the edge is a convenience",
        "lets every caller pass whose header looks like a login, made up or not",
    ] {
        assert!(said.contains(part), "{part} is not in\n{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn explain_names_the_rule() {
    let directory = Directory::new("surface-explain");
    let served =
        "listen = \"127.0.0.1:0\"\nadmin.listen = \"127.0.0.1:0\"\norigin.namespace = \"tribe/events/v1\"\n";
    let program = Program::serve(&directory.write("edge.toml", &format!("{served}{FILE}"))).await;
    let admin = format!("http://{}", program.admin);
    for (target, part) in [
        (
            "/wp-json/wp/v2/users/7",
            "users of [[surface]], mode enforce: credentials may call, and this caller does not pass",
        ),
        ("/wp-json/wp/v2/users/7", "401 rest_forbidden"),
        ("/xmlrpc.php", "403 rest_forbidden"),
        (
            "/wp-login.php",
            "door of [[surface]], mode report: anybody may call, and this caller passes, up to its rate",
        ),
        ("/about", "forwarded as it is"),
    ] {
        let typed = ["explain", "GET", target, "--admin", &admin].map(str::to_owned);
        let said = tokio::task::spawn_blocking(move || said(&typed.each_ref().map(String::as_str)));
        let said = said.await.expect("no panic");
        assert!(said.contains(part), "{part} is not in\n{said}");
    }
}
