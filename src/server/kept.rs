//! A value that outlives a restart in a file, which is written when the value has changed.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::{MappedMutexGuard, Mutex, MutexGuard};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::runtime::Handle;

use super::drain::Drain;
use super::state_file;

/// A value that a file can keep.
pub(crate) trait Keep: Send + 'static {
    /// The value in log lines.
    const WHAT: &'static str;

    /// The consequence of a file that cannot be read, for log lines.
    const UNREAD: &'static str;

    /// The content of the file; none while there is nothing to keep. It copies and computes nothing that takes long:
    /// the value is locked meanwhile. It is serialised when the value is free again.
    fn document(&self) -> Option<impl Serialize + 'static>;
}

/// A value with its file.
#[derive(Debug)]
pub(crate) struct Kept<T> {
    held: Mutex<Held<T>>,
    /// True if the file lacks something.
    is_changed: AtomicBool,
    /// True while a write is spawned that has not begun.
    is_spawned: AtomicBool,
    /// Locked while the file is written, and by nothing else. True if the last write has failed.
    writer: Mutex<bool>,
}

#[derive(Debug)]
struct Held<T> {
    value: T,
    /// None: nothing outlives the edge.
    file: Option<PathBuf>,
}

/// The largest file that is read, in bytes. Facts are the largest, and take far less.
const LARGEST: u64 = 256 << 20;

/// The time between two writes of a changing value: the loss of a crash. A write that failed is repeated after it.
const PAUSE: Duration = Duration::from_secs(5);

// === impl Kept ===

impl<T: Keep> Kept<T> {
    /// The value as this file keeps it from now on.
    pub(crate) fn new(file: Option<PathBuf>, value: T) -> Arc<Self> {
        Arc::new(Self {
            held: Mutex::new(Held { value, file }),
            is_changed: AtomicBool::new(false),
            is_spawned: AtomicBool::new(false),
            writer: Mutex::new(false),
        })
    }

    /// The document that an earlier run has kept; none if there is no file. Blocks.
    ///
    /// # Errors
    ///
    /// The reason why the file cannot be read, which is logged.
    pub(crate) fn read<D: DeserializeOwned>(file: Option<&Path>) -> Result<Option<D>, String> {
        let Some(file) = file else { return Ok(None) };
        state_file::read_json(file, LARGEST).map_err(|error| {
            let error = format!("{} cannot be read: {error}", file.display());
            tracing::error!(error, "{} cannot be read: {}", T::WHAT, T::UNREAD);
            error
        })
    }

    /// The value, to read it or to change a part that the file does not keep.
    pub(crate) fn lock(&self) -> MappedMutexGuard<'_, T> {
        MutexGuard::map(self.held.lock(), |held| &mut held.value)
    }

    /// The value, to change a part that the file keeps.
    pub(crate) fn change(&self) -> MappedMutexGuard<'_, T> {
        let value = self.lock();
        self.mark();
        value
    }

    /// Notes that the value has changed: it is written within seconds.
    pub(crate) fn mark(&self) {
        self.is_changed.store(true, Ordering::Release);
    }

    /// Keeps another value in another file from now on.
    pub(crate) fn replace(&self, file: Option<PathBuf>, value: impl FnOnce(&T) -> T) {
        let mut held = self.held.lock();
        self.is_changed.store(false, Ordering::Release);
        let value = value(&held.value);
        *held = Held { value, file };
    }

    /// Keeps the value in another file from now on.
    pub(crate) fn move_to(self: &Arc<Self>, file: Option<PathBuf>) {
        let mut held = self.held.lock();
        if held.file != file {
            held.file = file;
            self.mark();
            drop(held);
            self.write_soon();
        }
    }

    /// Writes on another thread where there is one: no call waits for a disk. At most one write waits for another.
    pub(crate) fn write_soon(self: &Arc<Self>) {
        if self.is_spawned.swap(true, Ordering::AcqRel) {
            return;
        }
        let this = Arc::clone(self);
        match Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(move || this.write())),
            Err(_) => self.write(),
        }
    }

    /// Writes from now on until the drain begins, and then for the last time.
    pub(crate) fn keep_up(self: &Arc<Self>, drain: &Drain) {
        let (this, end) = (Arc::clone(self), drain.clone());
        drain.spawn(async move {
            loop {
                let is_last = end.unless_begun(tokio::time::sleep(PAUSE)).await.is_none();
                let this = Arc::clone(&this);
                // Files block.
                let _ = tokio::task::spawn_blocking(move || this.write()).await;
                if is_last {
                    return;
                }
            }
        });
    }

    /// Writes the changes, if there is a file. Blocks, with the value unlocked.
    pub(crate) fn write(&self) {
        let mut is_failing = self.writer.lock();
        self.is_spawned.store(false, Ordering::Release);
        if !self.is_changed.swap(false, Ordering::AcqRel) {
            return;
        }
        let held = self.held.lock();
        let (Some(path), Some(document)) = (held.file.clone(), held.value.document()) else {
            return;
        };
        drop(held);
        let (file, what) = (path.display(), T::WHAT);
        match state_file::replace_json(&path, &document) {
            Ok(()) => {
                if std::mem::take(&mut *is_failing) {
                    tracing::info!(%file, "{what}: kept again");
                }
            }
            Err(error) => {
                if !std::mem::replace(&mut *is_failing, true) {
                    tracing::error!(%error, %file, "{what} cannot be kept: a restart would forget it");
                }
                self.mark();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::mpsc;

    use serde::Serializer;

    use super::*;

    /// A value whose document waits for its disk.
    #[derive(Debug)]
    struct Slow {
        number: u64,
        disk: Arc<Disk>,
    }

    #[derive(Debug)]
    struct Disk {
        began: mpsc::SyncSender<u64>,
        goes_on: Mutex<mpsc::Receiver<()>>,
    }

    struct SlowDocument(u64, Arc<Disk>);

    impl Serialize for SlowDocument {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            self.1.began.send(self.0).unwrap();
            self.1.goes_on.lock().recv().unwrap();
            self.0.serialize(serializer)
        }
    }

    impl Keep for Slow {
        const WHAT: &'static str = "a number";
        const UNREAD: &'static str = "it is zero";

        fn document(&self) -> Option<impl Serialize + 'static> {
            (self.number > 0).then(|| SlowDocument(self.number, Arc::clone(&self.disk)))
        }
    }

    fn slow(
        name: &str,
    ) -> (
        PathBuf,
        Arc<Kept<Slow>>,
        mpsc::Receiver<u64>,
        mpsc::SyncSender<()>,
    ) {
        let name = format!("calendar-edge-kept-{name}-{}", std::process::id());
        let file = std::env::temp_dir().join(name).join("number.json");
        let (began, begins) = mpsc::sync_channel(1);
        let (go_on, goes_on) = mpsc::sync_channel(9);
        let disk = Disk {
            began,
            goes_on: Mutex::new(goes_on),
        };
        let value = Slow {
            number: 0,
            disk: Arc::new(disk),
        };
        (file.clone(), Kept::new(Some(file), value), begins, go_on)
    }

    fn read(file: &Path) -> Result<Option<u64>, String> {
        Kept::<Slow>::read(Some(file))
    }

    #[tokio::test]
    async fn no_lock_is_held_over_a_disk() {
        let (file, kept, begins, go_on) = slow("disk");
        kept.change().number = 1;
        kept.write_soon();
        assert_eq!(begins.recv().unwrap(), 1);
        // The disk blocks. Values are read and changed nonetheless, on the only thread of this runtime.
        for number in 2..100 {
            kept.change().number = number;
            kept.write_soon();
            assert_eq!(kept.lock().number, number);
        }
        kept.move_to(Some(file.with_extension("moved")));
        kept.move_to(Some(file.clone()));
        // All of these changes are one further write, which waits for the first.
        go_on.send(()).unwrap();
        assert_eq!(begins.recv().unwrap(), 99);
        assert_eq!(read(&file), Ok(Some(1)));
        go_on.send(()).unwrap();
        kept.write();
        assert_eq!(read(&file), Ok(Some(99)));
        assert!(begins.try_recv().is_err());
        fs::remove_dir_all(file.parent().unwrap()).unwrap();
    }

    #[test]
    fn what_could_not_be_written_is_written_later() {
        let (file, kept, begins, go_on) = slow("later");
        let directory = file.parent().unwrap();
        fs::write(directory, "in its place").unwrap();
        kept.change().number = 7;
        kept.write();
        assert!(read(&file).is_err(), "a file is no directory");
        fs::remove_file(directory).unwrap();
        go_on.send(()).unwrap();
        kept.write();
        assert_eq!((begins.recv().unwrap(), read(&file)), (7, Ok(Some(7))));
        fs::write(&file, "7 8").unwrap();
        assert!(read(&file).unwrap_err().contains("cannot be read: "));
        fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn what_is_nothing_yet_leaves_the_file_alone() {
        let (file, kept, ..) = slow("nothing");
        drop(kept.change());
        kept.write();
        assert_eq!(read(&file), Ok(None));
    }
}
