//! Notices that files have changed, by looking at them every second.
//!
//! Looking works on every file system and with every way of replacing a file: written in place, renamed over,
//! or reached over a link that now leads elsewhere, as in a mounted secret.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The interval at which files are checked.
const PERIOD: Duration = Duration::from_secs(1);

/// The time that files must stay unchanged before a change counts, because a file may be half written.
const SETTLING: Duration = Duration::from_millis(500);

/// Some files, and their state at the last look.
#[derive(Debug, Clone, Default)]
pub struct FileWatch {
    files: Vec<PathBuf>,
    seen: Vec<Option<FileFingerprint>>,
}

/// The marks of a file's state without reading it: device, inode and size, the time of its content, and that of its
/// last change, which differs even if a file is written within one tick of its clock and keeps its size.
type FileFingerprint = ([u64; 3], [(i64, i64); 2]);

// === impl FileWatch ===

impl FileWatch {
    /// Takes the files as they are now for known: to be called before they are read. Blocks for the time of a look.
    pub fn of(files: Vec<PathBuf>) -> Self {
        let seen = look_at(&files);
        Self { files, seen }
    }

    /// Takes the files as they are now for known.
    pub(super) async fn look(&mut self) {
        self.seen = prints(&self.files).await;
    }

    /// Watches these files from now on; the known state of one that was watched before stays known.
    pub(super) async fn replace(&mut self, files: Vec<PathBuf>) {
        if files == self.files {
            return;
        }
        let mut seen = prints(&files).await;
        for (file, fingerprint) in files.iter().zip(&mut seen) {
            let known = self
                .files
                .iter()
                .zip(&self.seen)
                .find(|(known, _)| *known == file);
            if let Some((_, known)) = known {
                *fingerprint = *known;
            }
        }
        *self = Self { files, seen };
    }

    /// Waits until a file differs from its known state, and has settled; its state then is known.
    pub(super) async fn changed(&mut self) {
        loop {
            tokio::time::sleep(PERIOD).await;
            let now = prints(&self.files).await;
            if now != self.seen {
                let settled = settled(&self.files, now).await;
                if settled != self.seen {
                    self.seen = settled;
                    return;
                }
            }
        }
    }
}

/// The prints of the files once they stay as they are.
async fn settled(files: &[PathBuf], mut last: Vec<Option<FileFingerprint>>) -> Vec<Option<FileFingerprint>> {
    loop {
        tokio::time::sleep(SETTLING).await;
        let now = prints(files).await;
        if now == last {
            return now;
        }
        last = now;
    }
}

/// The prints of all files; none for one that is not there, and for a pipe, which can be read once only.
async fn prints(files: &[PathBuf]) -> Vec<Option<FileFingerprint>> {
    let files = files.to_vec();
    let looking = tokio::task::spawn_blocking(move || look_at(&files));
    looking.await.unwrap_or_default()
}

fn look_at(files: &[PathBuf]) -> Vec<Option<FileFingerprint>> {
    files.iter().map(|file| fingerprint(file)).collect()
}

fn fingerprint(file: &Path) -> Option<FileFingerprint> {
    let metadata = fs::metadata(file).ok().filter(fs::Metadata::is_file)?;
    let modified = (metadata.mtime(), metadata.mtime_nsec());
    let changed = (metadata.ctime(), metadata.ctime_nsec());
    Some((
        [metadata.dev(), metadata.ino(), metadata.size()],
        [modified, changed],
    ))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use tokio::time::timeout;

    use super::*;

    /// A directory of one test, removed at its end.
    struct Directory(PathBuf);

    impl Directory {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("edge-watch-{}-{name}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        fn file(&self, name: &str, text: &str) -> PathBuf {
            let path = self.0.join(name);
            fs::write(&path, text).unwrap();
            path
        }
    }

    impl Drop for Directory {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    async fn notices(watch: &mut FileWatch) -> bool {
        timeout(PERIOD + SETTLING * 2, watch.changed()).await.is_ok()
    }

    #[tokio::test(start_paused = true)]
    async fn a_file_that_stays_is_never_reported() {
        let directory = Directory::new("stays");
        let mut watch = FileWatch::of(vec![directory.file("a", "1"), directory.0.join("missing")]);
        assert!(timeout(PERIOD * 60, watch.changed()).await.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn every_way_of_replacing_a_file_is_noticed_once() {
        let directory = Directory::new("ways");
        let file = directory.file("a", "1");
        let other = directory.file("b", "2");
        let link = directory.0.join("link");
        symlink(&file, &link).unwrap();
        let mut watch = FileWatch::of(vec![file.clone(), link.clone()]);
        let changes: [(&str, &dyn Fn()); 4] = [
            ("written in place", &|| fs::write(&file, "22").unwrap()),
            ("the link leads elsewhere", &|| {
                fs::remove_file(&link).unwrap();
                symlink(&other, &link).unwrap();
            }),
            ("renamed over", &|| {
                fs::rename(directory.file("c", "33"), &file).unwrap();
            }),
            ("removed", &|| fs::remove_file(&file).unwrap()),
        ];
        for (way, change) in changes {
            change();
            assert!(notices(&mut watch).await, "{way}");
            assert!(!notices(&mut watch).await, "{way}, a second time");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_file_that_is_still_being_written_is_waited_for() {
        let directory = Directory::new("settles");
        let file = directory.file("a", "");
        let mut watch = FileWatch::of(vec![file.clone()]);
        let started = tokio::time::Instant::now();
        let writing = async {
            for size in 1..=20 {
                tokio::time::sleep(SETTLING / 5).await;
                fs::write(&file, "x".repeat(size)).unwrap();
            }
            started.elapsed()
        };
        let ((), written) = tokio::join!(watch.changed(), writing);
        assert!(started.elapsed() >= written + SETTLING, "{:?}", started.elapsed());
    }
}
