//! The sign of life for the service manager's watchdog.

use super::notices::ServiceManager;

/// Sends signs of life while the runtime works, twice in each interval of the watchdog; returns at once if nobody watches.
///
/// Each sign takes a timer that fires and a new task that is run to its end. If the timers or all workers of the runtime
/// hang, no sign is sent, and the service manager restarts the process.
pub(crate) async fn keep_alive(manager: ServiceManager) {
    let Some(patience) = manager.patience() else {
        return;
    };
    loop {
        if tokio::spawn(async {}).await.is_ok() {
            manager.alive();
        }
        tokio::time::sleep(patience / 2).await;
    }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;
    use std::sync::mpsc;
    use std::time::Duration;

    use super::super::notices::tests::{next, with_watchdog};
    use super::*;

    #[test]
    fn a_runtime_that_hangs_sends_no_sign() {
        let (manager, reads) = with_watchdog(Duration::from_millis(20));
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        runtime.spawn(keep_alive(manager));
        for _ in 0..3 {
            assert_eq!(next(&reads).unwrap(), "WATCHDOG=1");
        }
        let (hangs, hanging) = mpsc::channel();
        let (release, released) = mpsc::channel::<()>();
        runtime.spawn(async move {
            hangs.send(()).unwrap();
            released.recv().unwrap();
        });
        hanging.recv().unwrap();
        reads.set_nonblocking(true).unwrap();
        while next(&reads).is_ok() {}
        reads.set_nonblocking(false).unwrap();
        reads.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
        assert_eq!(next(&reads).unwrap_err().kind(), ErrorKind::WouldBlock);

        release.send(()).unwrap();
        reads.set_read_timeout(None).unwrap();
        assert_eq!(next(&reads).unwrap(), "WATCHDOG=1");
    }
}
