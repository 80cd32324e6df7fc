//! A bounded rate for warnings that repeat: an outage is one line a second with a count, not one for each request.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use calendar_edge_core::settings::PRIMARY;

/// The time between two lines of one kind.
const PAUSE: Duration = Duration::from_secs(1);

/// The same where strangers can cause the line.
const LONG_PAUSE: Duration = Duration::from_mins(1);

/// The warnings of one edge, or those about one backend; clones share their counts.
#[derive(Debug, Clone, Default)]
pub(crate) struct Warnings {
    kinds: Arc<Mutex<HashMap<WarningKind, Repeated>>>,
    /// The backend that they are about; none: the site, or the edge itself.
    candidate: Option<Arc<str>>,
}

/// The backend and the kind of a warning. Each has its own pause, so that a failure of a candidate hides none of the
/// site.
type WarningKind = (Option<Arc<str>>, &'static str);

/// Warnings of one kind since its last line.
#[derive(Default)]
struct Repeated {
    count: u64,
    /// Writes the last of them.
    last: Option<WriteLine>,
}

/// Writes a line that stands for a number of warnings.
type WriteLine = Box<dyn Fn(u64) + Send>;

// === impl Warnings ===

impl Warnings {
    /// Those about this candidate; none: about the site.
    pub(crate) fn about(&self, candidate: Option<&str>) -> Self {
        Self {
            kinds: Arc::clone(&self.kinds),
            candidate: candidate.map(Arc::from),
        }
    }

    /// The name of the backend that they are about.
    pub(crate) fn backend(&self) -> &str {
        self.candidate.as_deref().unwrap_or(PRIMARY)
    }

    /// Writes a line, unless one of its kind was written within the last second: then the warning is counted, and the
    /// last one is written with the count when the second is over.
    ///
    /// `write` gets the number of warnings that the line stands for. Kinds are from a closed set. It runs within a
    /// runtime.
    pub(crate) fn warn(&self, kind: &'static str, write: impl Fn(u64) + Send + 'static) {
        self.warn_after(PAUSE, kind, write);
    }

    /// The same for what strangers can cause: once a minute.
    pub(crate) fn warn_of_strangers(&self, kind: &'static str, write: impl Fn(u64) + Send + 'static) {
        self.warn_after(LONG_PAUSE, kind, write);
    }

    fn warn_after(&self, pause: Duration, kind: &'static str, write: impl Fn(u64) + Send + 'static) {
        let kind = (self.candidate.clone(), kind);
        let mut kinds = self.kinds.lock();
        if let Some(repeated) = kinds.get_mut(&kind) {
            repeated.count += 1;
            repeated.last = Some(Box::new(write));
            return;
        }
        kinds.insert(kind.clone(), Repeated::default());
        drop(kinds);
        write(1);
        let this = self.clone();
        tokio::spawn(async move { this.follow(pause, kind).await });
    }

    /// Writes a line for each pause in which warnings came.
    async fn follow(&self, pause: Duration, kind: WarningKind) {
        loop {
            tokio::time::sleep(pause).await;
            let mut kinds = self.kinds.lock();
            let Some(repeated) = kinds.get_mut(&kind).map(std::mem::take) else {
                return;
            };
            let Some(write) = repeated.last else {
                kinds.remove(&kind);
                return;
            };
            drop(kinds);
            write(repeated.count);
        }
    }
}

impl std::fmt::Debug for Repeated {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Repeated")
            .field("count", &self.count)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_outage_is_one_line_a_second_with_a_count() {
        let (warnings, lines) = (Warnings::default(), Arc::new(Mutex::new(Vec::new())));
        let warn = |kind, text: &'static str| {
            let lines = Arc::clone(&lines);
            warnings.warn(kind, move |count| lines.lock().push((text, count)));
        };
        for _ in 0..100 {
            warn("down", "first second");
        }
        warn("slow", "another kind");
        let (candidate, of_candidate) = (warnings.about(Some("next")), Arc::clone(&lines));
        candidate.warn("down", move |count| {
            of_candidate.lock().push(("a candidate", count));
        });
        tokio::time::sleep(PAUSE + PAUSE / 2).await;
        warn("down", "second second");
        tokio::time::sleep(PAUSE * 3).await;
        warn("down", "a new outage");
        let expected = [
            ("first second", 1),
            ("another kind", 1),
            ("a candidate", 1),
            ("first second", 99),
            ("second second", 1),
            ("a new outage", 1),
        ];
        assert_eq!(*lines.lock(), expected);
    }

    #[tokio::test(start_paused = true)]
    async fn what_strangers_cause_is_one_line_a_minute() {
        let (warnings, counts) = (Warnings::default(), Arc::new(Mutex::new(Vec::new())));
        for _ in 0..600 {
            let counts = Arc::clone(&counts);
            warnings.warn_of_strangers("forged", move |count| counts.lock().push(count));
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        assert_eq!(*counts.lock(), [1, 300]);
    }
}
