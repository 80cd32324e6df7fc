//! Settings that open more to others than an operator may think are logged.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use crate::support::{Directory, Origin, Program, Reply};

/// The settings in the log.
const KEYS: [&str; 4] = [
    "admin.listen",
    "admin.token_file",
    "trusted_proxies",
    "write_addresses",
];

/// A configuration that opens all but the admin listener where there is a token.
fn config(directory: &Directory, origin: &str, token: Option<u32>) -> std::path::PathBuf {
    let token = token.map_or_else(String::new, |mode| {
        let file = directory.write("token", "0123456789abcdef0123456789abcdef");
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(&file, permissions).expect("a file of ours");
        format!("token_file = \"{}\"\n", file.display())
    });
    let open = "trusted_proxies = [\"::/0\"]\nwrite_addresses = [\"127.0.0.0/8\"]\n";
    let text = format!(
        "listen = \"127.0.0.1:0\"\n{open}[origin]\nurl = \"{origin}/wp-json\"\n[admin]\nlisten = \"0.0.0.0:0\"\n{token}"
    );
    directory.write("edge.toml", &text)
}

#[tokio::test]
async fn t96_check_and_serve_say_what_is_open() {
    let directory = Directory::new("open-settings");
    let origin = Origin::always(Reply::json(200, "{}")).await;
    for (token, expected) in [
        (None, [true, false, true, true]),
        (Some(0o644), [false, true, true, true]),
        (Some(0o640), [false, false, true, true]),
    ] {
        let config = config(&directory, &origin.base(), token);
        let mut check = Command::new(env!("CARGO_BIN_EXE_calendar-edge"));
        let checked = check
            .args(["check", "--offline", "--config"])
            .arg(&config)
            .output();
        let checked = String::from_utf8(checked.expect("the program starts").stdout).expect("text");
        let mut serving = Program::serve(&config).await;
        let logged = serving.logged_up_to("listening for operators").await;
        for (key, expected) in KEYS.into_iter().zip(expected) {
            let line = checked
                .lines()
                .any(|line| line.starts_with(&format!("WARNING: `{key}`: ")));
            assert_eq!(line, expected, "{key}: {checked}");
            let line = logged.iter().find(|line| line["key"] == key);
            assert_eq!(line.is_some(), expected, "{key}: {logged:#?}");
            assert!(line.is_none_or(|line| line["level"] == "WARN" && line["remedy"].is_string()));
        }
    }
}
