//! The files of the repository that tests read.

use std::fs;
use std::path::{Path, PathBuf};

/// All files in a folder of the repository and below it.
pub(crate) fn files_below(folder: &str) -> Vec<PathBuf> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { &mut folders } else { &mut files }.push(path);
        }
    }
    files
}
