//! The file of a recording, with one older file beside it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Error, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

/// A file of lines that only this user can read. A line that does not fit begins a new file.
#[derive(Debug)]
pub(super) struct RecordingFile {
    path: PathBuf,
    file: File,
    bytes: u64,
    most: u64,
}

// === impl RecordingFile ===

impl RecordingFile {
    /// Continues a file, or begins it. The last line of a file that a failed write has cut off is ended first.
    pub(super) fn open(path: &Path, most: u64) -> io::Result<Self> {
        // To open a pipe waits until somebody reads it.
        if fs::metadata(path).is_ok_and(|known| !known.is_file()) {
            return Err(Error::new(ErrorKind::InvalidInput, "it is no regular file"));
        }
        if let Some(directory) = path.parent() {
            fs::create_dir_all(directory)?;
        }
        let mut file = private(path)?;
        let mut bytes = file.metadata()?.len();
        if bytes > 0 && last_byte(path)? != b'\n' {
            file.write_all(b"\n")?;
            bytes += 1;
        }
        Ok(Self {
            path: path.to_owned(),
            file,
            bytes,
            most,
        })
    }

    /// The bytes in the file.
    pub(super) const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Appends a line in one write, so that no reader sees half of it unless the process is killed.
    pub(super) fn write(&mut self, line: &[u8]) -> io::Result<()> {
        let line = [line, b"\n"].concat();
        let length = u64::try_from(line.len()).unwrap_or(u64::MAX);
        if self.bytes > 0 && self.bytes.saturating_add(length) > self.most {
            let mut older = self.path.as_os_str().to_owned();
            older.push(".1");
            fs::rename(&self.path, PathBuf::from(older))?;
            self.file = private(&self.path)?;
            self.bytes = 0;
        }
        self.file.write_all(&line)?;
        self.bytes += length;
        Ok(())
    }
}

fn last_byte(path: &Path) -> io::Result<u8> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last[0])
}

/// A file to append to, which only this user can read from its beginning on.
fn private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_does_not_fit_begins_a_new_file() {
        let directory = std::env::temp_dir().join(format!("calendar-edge-recording-{}", std::process::id()));
        let path = directory.join("calls.jsonl");
        let mut file = RecordingFile::open(&path, 10).unwrap();
        for line in ["1234", "5678", "9", "a line of more than ten bytes", "z"] {
            file.write(line.as_bytes()).unwrap();
        }
        let older = fs::read_to_string(directory.join("calls.jsonl.1")).unwrap();
        assert_eq!(older, "a line of more than ten bytes\n");
        assert_eq!(fs::read_to_string(&path).unwrap(), "z\n");
        let mut file = RecordingFile::open(&path, 10).unwrap();
        file.write(b"y").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "z\ny\n");
        fs::write(&path, "z\n{\"cut").unwrap();
        let mut file = RecordingFile::open(&path, 100).unwrap();
        file.write(b"y").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "z\n{\"cut\ny\n");
        assert_eq!(file.bytes(), fs::metadata(&path).unwrap().len());
        #[cfg(unix)]
        {
            let mode = std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&path).unwrap().permissions());
            assert_eq!(mode & 0o777, 0o600);
        }
        fs::remove_dir_all(directory).unwrap();
    }
}
