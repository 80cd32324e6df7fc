//! Hashes the sources that decide what a copy answers, so that the edge knows when it answers by other rules than before.

use std::env;
use std::error::Error;
use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};

/// A copy, what it knows, and how WordPress reads a query.
const RULES: [&str; 3] = ["src/copy", "src/facts", "../judge/src"];

fn main() -> Result<(), Box<dyn Error>> {
    let package = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let mut rules = DefaultHasher::new();
    for folder in RULES {
        println!("cargo::rerun-if-changed={folder}");
        hash(&package.join(folder), &mut rules)?;
    }
    println!("cargo::rustc-env=COPY_RULES={:016x}", rules.finish());
    Ok(())
}

/// Hashes the files of a folder in the order of their names, wherever the folder is.
fn hash(folder: &Path, rules: &mut DefaultHasher) -> Result<(), Box<dyn Error>> {
    let mut entries = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        if entry.file_type()?.is_dir() {
            hash(&entry.path(), rules)?;
        } else {
            rules.write(entry.file_name().as_encoded_bytes());
            rules.write(&fs::read(entry.path())?);
        }
    }
    Ok(())
}
