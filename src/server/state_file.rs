//! Files that only this user can read, replaced whole or not at all.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read as _, Write as _};
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The files whose last write failed, and the errors. They are few: their names come from the code and the settings.
static UNWRITTEN: Mutex<BTreeMap<PathBuf, String>> = Mutex::new(BTreeMap::new());

/// Writes a file aside, and renames it once it is on the disk. Makes its directory.
///
/// # Errors
///
/// When it cannot be written; the old file stays.
pub(crate) fn replace(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let replaced = replace_now(path, write);
    let mut unwritten = UNWRITTEN.lock();
    match &replaced {
        Ok(()) => unwritten.remove(path),
        Err(error) => unwritten.insert(path.to_owned(), error.to_string()),
    };
    replaced
}

/// A file of a directory that could not be written when it was written last, and the error.
pub(crate) fn unwritten_in(directory: &Path) -> Option<(String, String)> {
    let unwritten = UNWRITTEN.lock();
    let (path, error) = unwritten.iter().find(|(path, _)| path.starts_with(directory))?;
    Some((path.display().to_string(), error.clone()))
}

fn replace_now(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<()> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    let aside = aside(path);
    let file = private(&aside)?;
    let replaced = fill(file, write).and_then(|()| fs::rename(&aside, path));
    if replaced.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(&aside);
    }
    replaced
}

/// As [`replace`], with a value as JSON.
///
/// # Errors
///
/// As there.
pub(crate) fn replace_json(path: &Path, value: &impl Serialize) -> io::Result<()> {
    replace(path, |file| {
        serde_json::to_writer(&mut *file, value)?;
        file.flush()
    })
}

/// The value in a file of at most so many bytes; none if there is no file.
///
/// # Errors
///
/// When the file cannot be read, or holds something else.
pub(crate) fn read_json<D: DeserializeOwned>(path: &Path, most: u64) -> io::Result<Option<D>> {
    match File::open(path) {
        Ok(file) => Ok(Some(serde_json::from_reader(BufReader::new(file.take(most)))?)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn fill(file: File, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<()> {
    let mut file = BufWriter::new(file);
    write(&mut file)?;
    let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.sync_all()
}

/// A name beside the file, so that renaming stays within one file system.
fn aside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    name.into()
}

/// A new file that only this user can read. A file or a link of that name, perhaps of a run that was killed, is removed
/// and never opened.
fn private(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::io::Write as _;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn directory(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("calendar-edge-state-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        path
    }

    #[test]
    fn a_link_or_a_file_that_is_left_over_is_never_written_to() {
        let directory = directory("left");
        let (path, victim) = (directory.join("state"), directory.join("victim"));
        fs::write(&victim, "of others").unwrap();
        symlink(&victim, aside(&path)).unwrap();
        replace(&path, |file| file.write_all(b"new")).unwrap();
        assert_eq!(fs::read(&victim).unwrap(), b"of others");
        assert!(!path.is_symlink());

        fs::write(aside(&path), "of a run that was killed").unwrap();
        fs::set_permissions(aside(&path), PermissionsExt::from_mode(0o666)).unwrap();
        replace(&path, |file| file.write_all(b"newer")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"newer");
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn a_failure_leaves_the_old_file_alone() {
        let directory = directory("failure");
        let path = directory.join("state");
        replace(&path, |file| file.write_all(b"old")).unwrap();
        let failed = replace(&path, |file| {
            file.write_all(b"half")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert!(failed.is_err());
        let (file, error) = unwritten_in(&directory).unwrap();
        assert_eq!(
            (file, error),
            (path.display().to_string(), "no storage space".to_owned())
        );
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert!(!aside(&path).exists());
        replace(&path, |file| file.write_all(b"new")).unwrap();
        assert_eq!(unwritten_in(&directory), None);
        fs::remove_dir_all(directory).unwrap();
    }
}
