//! The JSON Schema of the configuration accepts every file that the edge reads, and finds mistakes.

use std::path::{Path, PathBuf};

use calendar_edge::config::{Overrides, parse, schema};
use serde_json::Value;

use crate::support::json_schema::Compiled;

fn checked(schema: &Compiled, text: &str) -> Result<(), String> {
    let file: Value = toml::from_str(text).expect("a TOML file");
    schema.check(&file)
}

/// The configurations of the repository.
fn files() -> Vec<PathBuf> {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [
        "deploy",
        "deploy/kubernetes",
        "deploy/proxies/api-only",
        "deploy/proxies/in-front",
        "fixtures/config",
    ];
    let entries = folders.map(|folder| std::fs::read_dir(top.join(folder)).expect("a directory"));
    let paths = entries
        .into_iter()
        .flatten()
        .map(|entry| entry.expect("a readable entry").path());
    paths
        .filter(|path| path.extension().is_some_and(|kind| kind == "toml"))
        .collect()
}

#[test]
fn every_file_that_is_read_fits_the_schema() {
    let schema = Compiled::new(schema());
    let mut seen = 0;
    for path in files() {
        let text = std::fs::read_to_string(&path).expect("text");
        if parse("edge.toml", &text, &Overrides::default()).is_ok() {
            assert_eq!(checked(&schema, &text), Ok(()), "{}", path.display());
            seen += 1;
        }
    }
    assert!(seen > 8, "{seen}");
}

#[test]
fn mistakes_do_not_fit_it() {
    let schema = Compiled::new(schema());
    for (text, place) in [
        ("mode = \"repotr\"", "/mode"),
        ("modes = \"report\"", "modes"),
        ("read_only = \"yes\"", "/read_only"),
        ("[origin]\nmax_in_flight = 0", "/origin/max_in_flight"),
        ("[timeouts]\ndrain = \"10 seconds\"", "/timeouts/drain"),
        (
            "[rate_limits.address]\nlists = \"60\"",
            "/rate_limits/address/lists",
        ),
        ("[operations.\"events.lst\"]\nallow = false", "events.lst"),
        ("[operations.\"events.list\"]\nalow = false", "alow"),
        ("[cutover]\nname = \"x\"", "/cutover"),
        ("[[cutover]]\nguard = { cals = 1 }", "cals"),
        ("listen = []", "/listen"),
    ] {
        let refused = checked(&schema, text).expect_err(text);
        assert!(refused.contains(place), "{text}: {refused}");
    }
    for text in [
        "mode = \"${MODE}\"",
        "[timeouts]\ndrain = \"${DRAIN}\"",
        "[limits]\nbody_bytes = 1048576",
    ] {
        assert_eq!(checked(&schema, text), Ok(()), "{text}");
    }
}
