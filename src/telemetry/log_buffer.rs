//! A buffer in front of the log: no thread waits to log a line, and lines are written together.

use std::io::{self, Write};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

/// Maximum bytes of lines that wait to be written. Further lines are lost, which is counted and logged.
const MOST: usize = 4 * 1024 * 1024;

/// Maximum time from a line to its write, if the log accepts it.
const DELAY: Duration = Duration::from_millis(20);

/// Maximum time that a flush waits for a log that accepts nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// Takes lines for a thread of its own, which writes them.
#[derive(Debug, Default)]
pub(super) struct LogBuffer {
    lines: Mutex<WaitingLines>,
    /// There are lines, or a flush is wanted.
    filled: Condvar,
    /// All lines were written.
    emptied: Condvar,
}

/// Writes the lines that wait when it is dropped.
#[derive(Debug)]
#[must_use = "lines are written when it is dropped"]
pub struct LogFlush(pub(super) Arc<LogBuffer>);

#[derive(Debug, Default)]
struct WaitingLines {
    bytes: Vec<u8>,
    lost: u64,
    /// Some lines are being written.
    writes: bool,
    /// A thread waits for the lines to be written.
    is_urgent: bool,
}

// === impl LogBuffer ===

impl LogBuffer {
    /// Begins to write to a log.
    ///
    /// # Errors
    ///
    /// If the thread cannot be started.
    pub(super) fn before(log: impl Write + Send + 'static) -> io::Result<Arc<Self>> {
        let this = Arc::<Self>::default();
        let buffered = Arc::clone(&this);
        thread::Builder::new()
            .name("log".to_owned())
            .spawn(move || buffered.write_to(log))?;
        Ok(this)
    }

    /// Waits until all lines are written, or for a second.
    pub(super) fn flush(&self) {
        let mut lines = self.lines.lock();
        lines.is_urgent = true;
        self.filled.notify_one();
        self.emptied
            .wait_while_for(&mut lines, |lines| lines.wait(), PATIENCE);
    }
}

impl Write for &LogBuffer {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut lines = self.lines.lock();
        if lines.bytes.len().saturating_add(line.len()) > MOST {
            lines.lost += 1;
            return Ok(line.len());
        }
        let was_empty = lines.bytes.is_empty();
        lines.bytes.extend_from_slice(line);
        drop(lines);
        if was_empty {
            self.filled.notify_one();
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

// === impl LogFlush ===

impl Drop for LogFlush {
    fn drop(&mut self) {
        self.0.flush();
    }
}

// === impl LogBuffer ===

impl LogBuffer {
    /// Writes lines as they come, as long as the process lives.
    fn write_to(&self, mut log: impl Write) {
        let mut bytes = Vec::new();
        loop {
            let lost = self.take(&mut bytes);
            // If the log cannot be written, there is no place to report that.
            let _ = log.write_all(&bytes).and_then(|()| log.flush());
            bytes.clear();
            self.written();
            if lost > 0 {
                tracing::warn!(lines = lost, "log lines were lost: the log is written too slowly");
            }
        }
    }

    /// Waits for lines and takes them all, with the number of those that were lost.
    fn take(&self, into: &mut Vec<u8>) -> u64 {
        let mut lines = self.lines.lock();
        let is_idle = |lines: &mut WaitingLines| lines.bytes.is_empty() && !lines.is_urgent;
        self.filled.wait_while(&mut lines, is_idle);
        // More lines may come, and are written with these.
        self.filled
            .wait_while_for(&mut lines, |lines| !lines.is_urgent, DELAY);
        std::mem::swap(&mut lines.bytes, into);
        lines.is_urgent = false;
        lines.writes = true;
        std::mem::take(&mut lines.lost)
    }

    fn written(&self) {
        self.lines.lock().writes = false;
        self.emptied.notify_all();
    }
}

// === impl WaitingLines ===

impl WaitingLines {
    fn wait(&self) -> bool {
        self.writes || self.is_urgent || !self.bytes.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::*;

    /// A log that reports each write, and finishes it when it is allowed to.
    struct Slow {
        written: Sender<Vec<u8>>,
        allowed: Receiver<()>,
    }

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.written.send(bytes.to_vec()).unwrap();
            // An error means that all writes are allowed from now on.
            let _ = self.allowed.recv();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn slow() -> (Arc<LogBuffer>, Receiver<Vec<u8>>, Sender<()>) {
        let ((written, told), (allow, allowed)) = (channel(), channel());
        let log = Slow { written, allowed };
        (LogBuffer::before(log).unwrap(), told, allow)
    }

    #[test]
    fn lines_come_in_order_and_together() {
        let (buffer, told, allow) = slow();
        (&*buffer).write_all(b"first\n").unwrap();
        assert_eq!(told.recv().unwrap(), b"first\n");
        // While it is written, others come.
        for line in [b"a\n", b"b\n", b"c\n"] {
            (&*buffer).write_all(line).unwrap();
        }
        drop(allow);
        assert_eq!(told.recv().unwrap(), b"a\nb\nc\n");
    }

    #[test]
    fn a_flush_waits_until_all_is_written() {
        let (buffer, told, allow) = slow();
        drop(allow);
        for _ in 0..100 {
            (&*buffer).write_all(b"line\n").unwrap();
        }
        drop(LogFlush(buffer.clone()));
        let written: Vec<u8> = told.try_iter().flatten().collect();
        assert_eq!(written, b"line\n".repeat(100));
        // Nothing waits any more.
        drop(LogFlush(buffer.clone()));
    }

    #[test]
    fn whoever_logs_does_not_wait_and_losses_are_counted() {
        let (buffer, told, allow) = slow();
        (&*buffer).write_all(b"first\n").unwrap();
        told.recv().unwrap();
        let line = vec![b'x'; MOST / 4];
        for _ in 0..7 {
            (&*buffer).write_all(&line).unwrap();
        }
        assert_eq!(buffer.lines.lock().bytes.len(), MOST);
        assert_eq!(buffer.lines.lock().lost, 3);
        drop(allow);
        assert_eq!(told.recv().unwrap().len(), MOST);
        drop(LogFlush(buffer.clone()));
        assert_eq!(buffer.lines.lock().lost, 0, "they were written");
    }
}
