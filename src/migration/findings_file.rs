//! The file that keeps what was found out about backends over a restart.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, ErrorKind, Read as _};
use std::path::Path;

use serde_json::Value;

use crate::server::state_file;

/// The file in the directory of the settings.
const FILE: &str = "findings.json";

/// The largest file that is read, in bytes. A report takes far less.
const LARGEST: u64 = 64 << 20;

/// The kept reports by the name of their backend; none if there is no file. A file that cannot be read is said, and
/// findings begin anew.
pub(super) fn read(directory: Option<&Path>) -> BTreeMap<String, Value> {
    let Some(file) = directory.map(|directory| directory.join(FILE)) else {
        return BTreeMap::new();
    };
    match reports(&file) {
        Ok(reports) => reports,
        Err(error) if error.kind() == ErrorKind::NotFound => BTreeMap::new(),
        Err(error) => {
            tracing::error!(%error, file = %file.display(), "earlier findings about backends cannot be read");
            BTreeMap::new()
        }
    }
}

/// Replaces the file, and makes its directory.
pub(super) fn write(directory: &Path, reports: &BTreeMap<String, Value>) {
    let file = directory.join(FILE);
    if let Err(error) = state_file::replace_json(&file, reports) {
        tracing::error!(%error, file = %file.display(), "findings about backends cannot be kept");
    }
}

fn reports(file: &Path) -> io::Result<BTreeMap<String, Value>> {
    let mut text = Vec::new();
    File::open(file)?.take(LARGEST).read_to_end(&mut text)?;
    Ok(serde_json::from_slice(&text)?)
}
