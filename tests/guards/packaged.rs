//! Packages carry what their documents link to, and the two units agree.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use crate::repository::{entries, files_below, read, root};

/// True if a name fits a pattern with at most one `*`.
fn fits(name: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        Some((before, after)) => {
            let length = name.len() >= before.len() + after.len();
            length && name.starts_with(before) && name.ends_with(after)
        }
        None => name == pattern,
    }
}

/// The files that a pattern names, from the root of the repository.
fn expanded(pattern: &str) -> Vec<PathBuf> {
    let pattern = Path::new(pattern);
    let folder = pattern.parent().unwrap_or(Path::new(""));
    let last = pattern
        .file_name()
        .and_then(|name| name.to_str())
        .expect("a name");
    let is_named = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| fits(name, last)) && root().join(path).is_file()
    };
    entries(folder).into_iter().filter(is_named).collect()
}

/// What packages carry, as `deploy/package/files` says.
fn packaged() -> BTreeSet<PathBuf> {
    let list = read("deploy/package/files");
    let patterns = list.lines().filter(|line| !line.starts_with('#'));
    let mut files = BTreeSet::new();
    for pattern in patterns {
        let found = expanded(pattern);
        assert!(!found.is_empty(), "{pattern} names no file");
        files.extend(found);
    }
    files
}

/// The relative links of a document, without anchors.
fn links(text: &str) -> BTreeSet<&str> {
    let starts = ["](", "src=\""];
    let after = starts.iter().flat_map(|start| text.split(start).skip(1));
    let targets = after.filter_map(|rest| rest.split([')', '#', '"', ' ']).next());
    targets
        .filter(|target| !target.is_empty() && !target.contains("://"))
        .collect()
}

/// A path without `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::Normal(name) => plain.push(name),
            _ => {}
        }
    }
    plain
}

#[test]
fn documents_of_packages_link_to_what_packages_carry() {
    let files = packaged();
    let mut broken = Vec::new();
    let mut seen = 0;
    for document in files
        .iter()
        .filter(|file| file.extension().is_some_and(|kind| kind == "md"))
    {
        let folder = document.parent().unwrap_or(Path::new(""));
        for link in links(&read(document)) {
            let target = plain(&folder.join(link));
            let is_there = files.iter().any(|file| file.starts_with(&target));
            if !is_there {
                broken.push(format!("{} links to {}", document.display(), target.display()));
            }
            seen += 1;
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
    assert!(seen > 100, "{seen}");
}

#[test]
fn packages_carry_what_stands_beside_the_program() {
    let files = packaged();
    for file in [
        "deploy/wordpress/calendar-edge.php",
        "deploy/proxies/in-front/nginx.conf",
        "deploy/proxies/api-only/apache.conf",
        "deploy/prometheus/rules.yml",
        "deploy/grafana/board.json",
        "deploy/edge.example.toml",
        "docs/README.md",
    ] {
        assert!(files.contains(Path::new(file)), "{file}");
    }
}

/// The unit for several sites is the other one with names of its own.
#[test]
fn the_two_units_agree() {
    let replaced = read("deploy/calendar-edge.service")
        .replace("a WordPress site", "the WordPress site %i")
        .replace("/etc/calendar-edge/edge.toml", "/etc/calendar-edge/%i.toml")
        .replace(
            "/etc/calendar-edge/environment",
            "/etc/calendar-edge/%i.environment",
        )
        .replace("Directory=calendar-edge\n", "Directory=calendar-edge-%i\n")
        .replace(
            "secret:/etc/calendar-edge/secret",
            "secret:/etc/calendar-edge/%i.secret",
        );
    let template = read("deploy/calendar-edge@.service");
    let settings = |text: &str| -> Vec<String> {
        let lines = text
            .lines()
            .filter(|line| line.contains('=') && !line.starts_with("# "));
        lines.map(str::to_owned).collect()
    };
    assert_eq!(settings(&replaced), settings(&template));
    assert!(settings(&template).len() > 40);
}

/// `.dockerignore` leaves documents out; the program is made of some.
#[test]
fn the_image_is_built_with_the_documents_that_the_program_holds() {
    let ignored = read(".dockerignore");
    let mut seen = 0;
    for file in files_below("src")
        .iter()
        .filter(|file| file.extension().is_some_and(|kind| kind == "rs"))
    {
        let text = read(file);
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for included in code
            .split("include_str!(\"")
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
        {
            let target = plain(&file.parent().unwrap_or(Path::new("")).join(included));
            if target.extension().is_some_and(|kind| kind == "md") {
                let kept = format!("!{}", target.display());
                assert!(
                    ignored.lines().any(|line| line == kept),
                    "{kept} is not in .dockerignore"
                );
                seen += 1;
            }
        }
    }
    assert!(seen > 0);
}
