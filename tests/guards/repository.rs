//! The files of the repository, by their paths from its root.

use std::fs;
use std::path::{Path, PathBuf};

/// Where the repository is.
#[must_use]
pub fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// The text of a file.
///
/// # Panics
/// If there is none, or if it is no text.
pub fn read(name: impl AsRef<Path>) -> String {
    let name = name.as_ref();
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{}: {error}", name.display()))
}

/// What is directly in a folder, in the order of the names.
///
/// # Panics
/// If there is no such folder.
pub fn entries(folder: impl AsRef<Path>) -> Vec<PathBuf> {
    let folder = folder.as_ref();
    let entries =
        fs::read_dir(root().join(folder)).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let mut paths: Vec<PathBuf> = names.map(|name| folder.join(name)).collect();
    paths.sort();
    paths
}

/// All files in a folder and below it.
///
/// # Panics
/// If there is no such folder.
pub fn files_below(folder: impl AsRef<Path>) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in entries(folder) {
        if root().join(&path).is_dir() {
            files.extend(files_below(path));
        } else {
            files.push(path);
        }
    }
    files
}

/// The files with this extension in a folder and below it, each with its text.
#[must_use]
pub fn texts(folder: &str, extension: &str) -> Vec<(String, String)> {
    let files = files_below(folder).into_iter();
    let wanted = files.filter(|path| path.extension().is_some_and(|own| own == extension));
    wanted
        .map(|path| (path.to_string_lossy().replace('\\', "/"), read(&path)))
        .collect()
}
