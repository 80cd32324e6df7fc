//! The output of `check` and `explain` about rules for the rest of the site.

use std::process::Command;

use crate::support::Directory;

const FILE: &str = "other = \"forward\"\norigin.url = \"http://wp.example/wp-json\"\n\
    [[surface]]\nroutes = [\"users\", \"xmlrpc\"]\ncallers = \"credentials\"\nmode = \"enforce\"\n\
    [[surface]]\nname = \"late\"\nroutes = [\"wp/v2/users/*\"]\nrate = \"5/1m\"\n\
    [[surface]]\nname = \"door\"\nroutes = [\"login\"]\nrate = \"5/1m\"\n";

fn said(arguments: &[&str]) -> String {
    let directory = Directory::new(&format!("surface-{}", arguments.len()));
    let file = directory.write("edge.toml", FILE);
    let mut command = Command::new(env!("CARGO_BIN_EXE_calendar-edge"));
    let output = command.args(arguments).arg("--config").arg(file).output();
    String::from_utf8(output.expect("the program runs").stdout).expect("text")
}

#[test]
fn check_prints_the_list_of_the_plugin() {
    let said = said(&["check", "--offline"]);
    for part in [
        "define( 'CALENDAR_EDGE_SURFACE', 'credentials wp/v2/users, credentials wp/v2/users/*' );",
        "a rule at the edge is a convenience",
        "lets every caller pass whose header looks like a login, made up or not",
    ] {
        assert!(said.contains(part), "{part} is not in\n{said}");
    }
}

#[test]
fn explain_names_the_rule() {
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
        let said = said(&["explain", "GET", target]);
        assert!(said.contains(part), "{part} is not in\n{said}");
    }
}
