//! The sign of life for the service manager's watchdog.

use tokio::runtime::Handle;

use super::notices::ServiceManager;

/// Sends signs of life while all runtimes work, twice in each interval of the watchdog; returns at once without one.
///
/// Each sign takes a timer that fires and a new task that each runtime runs to its end. If the timers or a runtime
/// hang, no sign is sent, and the service manager restarts the process.
pub(crate) async fn keep_alive(manager: ServiceManager, runtimes: Vec<Handle>) {
    let Some(patience) = manager.patience() else {
        return;
    };
    loop {
        if all_work(&runtimes).await {
            manager.alive();
        }
        tokio::time::sleep(patience / 2).await;
    }
}

async fn all_work(runtimes: &[Handle]) -> bool {
    for runtime in runtimes {
        if runtime.spawn(async {}).await.is_err() {
            return false;
        }
    }
    true
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
        let [main, other] = [(), ()].map(|()| {
            tokio::runtime::Builder::new_multi_thread()
                .worker_threads(1)
                .enable_all()
                .build()
                .unwrap()
        });
        let all = [&main, &other].map(|runtime| runtime.handle().clone());
        main.spawn(keep_alive(manager, all.to_vec()));
        for _ in 0..3 {
            assert_eq!(next(&reads).unwrap(), "WATCHDOG=1");
        }
        let (hangs, hanging) = mpsc::channel();
        let (release, released) = mpsc::channel::<()>();
        other.spawn(async move {
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
