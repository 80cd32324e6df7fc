//! An export of the edge suffices: `verify` finds the imported records equal.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use calendar_example::import::import;
use calendar_example::store::Store;
use serde_json::{Value, json};

use crate::support::{Calendar, serve, site};

/// The edge, built with the features of its own tests.
fn edge() -> PathBuf {
    let built = Command::new(env!("CARGO"))
        .args([
            "build",
            "--locked",
            "--package",
            "calendar-edge",
            "--bin",
            "calendar-edge",
        ])
        .args(["--no-default-features", "--features", "cluster,demo"])
        .status();
    assert!(built.expect("cargo").success());
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .parent()
        .expect("a directory");
    target.join("debug/calendar-edge")
}

/// A directory of its own for one test, removed with it.
struct Directory(PathBuf);

// === impl Directory ===

impl Directory {
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a directory");
        Self(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(edge());
        let configured = command
            .args(arguments)
            .args(["--config", &self.path("edge.toml")]);
        configured.output().expect("the edge starts")
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn configure(directory: &Directory, site: &Calendar, next: &Calendar) {
    let config = format!(
        "[origin]\nurl = \"{}\"\nnamespace = \"{}\"\n[backends.next]\nurl = \"{}\"\nnamespace = \"{}\"\n",
        site.root, site.namespace, next.root, next.namespace
    );
    fs::write(directory.path("edge.toml"), config).expect("a file");
}

fn store() -> Arc<Store> {
    Arc::new(Store::in_memory().expect("a database"))
}

#[tokio::test(flavor = "multi_thread")]
async fn an_imported_calendar_is_equal_to_its_site() {
    let (sandbox, site) = site().await;
    let store = store();
    let next = serve(Arc::clone(&store), &site, None, None).await;
    let directory = Directory::new("imported");
    configure(&directory, &site, &next);
    let (one, two) = (directory.path("one"), directory.path("two"));
    let exported = directory.run(&["export", &one, "--rate", "1000"]);
    assert!(
        exported.status.success(),
        "{}",
        String::from_utf8_lossy(&exported.stderr)
    );
    assert_eq!(import(&store, Path::new(&one)).expect("an import"), 48);
    equal(&directory);
    let change = |method, target: &str, body: Value| {
        let request = site
            .request(method, target)
            .basic_auth(sandbox.username(), Some(sandbox.password()));
        site.answer(
            request
                .header("content-type", "application/json")
                .body(body.to_string()),
        )
    };
    change(reqwest::Method::POST, "venues/7", json!({"phone": "+49 1"})).await;
    change(reqwest::Method::DELETE, "events/21", json!({})).await;
    change(reqwest::Method::DELETE, "tags/14", json!({})).await;
    change(reqwest::Method::POST, "categories", json!({"name": "Opera"})).await;
    let exported = directory.run(&["export", &two, "--since", &one, "--rate", "1000"]);
    assert!(
        exported.status.success(),
        "{}",
        String::from_utf8_lossy(&exported.stderr)
    );
    let count = import(&store, Path::new(&two)).expect("an import");
    assert!((3..48).contains(&count), "only what changed: {count}");
    equal(&directory);
}

fn equal(directory: &Directory) {
    let manifest = directory.path("verify.jsonl");
    let _ = fs::remove_file(&manifest);
    let verified = directory.run(&[
        "verify",
        "--to",
        "next",
        "--manifest",
        &manifest,
        "--rate",
        "1000",
        "--json",
    ]);
    let report: Value = serde_json::from_slice(&verified.stdout).unwrap_or_default();
    assert!(
        verified.status.success(),
        "{report:#} {}",
        String::from_utf8_lossy(&verified.stderr)
    );
    assert!(report["calls"].as_u64() > Some(80), "{report:#}");
    let operations = report["operations"].as_object().expect("operations");
    let paths = operations
        .values()
        .filter_map(|operation| operation["paths"].as_array());
    let mut spelled = paths.flatten().filter(|found| found["class"] != "order");
    // WordPress spells addresses of e-mail there at random.
    let is_email = |found: &Value| found["path"].as_str().is_some_and(|path| path.ends_with("email"));
    assert!(spelled.all(is_email), "{report:#}");
}

#[test]
fn a_record_without_a_column_is_refused_whole() {
    let directory = Directory::new("refused");
    let write = |name: &str, text: &str| fs::write(directory.path(name), text).expect("a file");
    for kind in ["events", "venues", "organizers", "categories", "tags"] {
        write(&format!("{kind}.ndjson"), "");
    }
    write("manifest.ndjson", "");
    let store = store();
    assert!(import(&store, &directory.0).is_err(), "not finished");
    write("manifest.json", r#"{"format":2}"#);
    assert!(import(&store, &directory.0).is_err(), "another format");
    write("manifest.json", r#"{"format":1,"since":null}"#);
    assert_eq!(import(&store, &directory.0).expect("empty"), 0);
    write("tags.ndjson", r#"{"id":1,"count":0,"seats":7}"#);
    let error = import(&store, &directory.0).expect_err("unknown");
    assert!(format!("{error:#}").contains("seats"), "{error:#}");
}
