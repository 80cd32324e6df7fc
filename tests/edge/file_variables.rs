//! Variables in the configuration file.

use std::process::{Command, Stdio};

use crate::support::Directory;

const CONFIGURATION: &str = "listen = \"127.0.0.1:0\"\n[origin]\nurl = \"http://${EDGE_TEST_SITE}/wp-json\"\n\
                             namespace = \"tribe/events/v1\"\nread_index = false\n";

#[test]
fn a_variable_that_is_not_set_is_a_problem_with_line_and_column() {
    let directory = Directory::new("variables");
    let file = directory.write("edge.toml", CONFIGURATION);
    let check = |site: &str| {
        Command::new(env!("CARGO_BIN_EXE_calendar-edge"))
            .args(["check", "--offline", "--config"])
            .arg(&file)
            .env_remove("CALENDAR_EDGE_LISTEN")
            .env("EDGE_TEST_SITE", site)
            .stdin(Stdio::null())
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
