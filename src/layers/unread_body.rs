//! The rest of a body over HTTP/2 whose request got its response early.
//!
//! Dropping such a body resets its stream. Some clients that are still sending then report the reset and never read the
//! response. Over HTTP/1 the connection itself goes on to read, when it is closed.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use http_body::Body;
use tokio::runtime::Handle;
use tokio::time::timeout;

use crate::server::MinRate;

/// The longest time for which a body is read. The end of the edge may wait for it, so it is shorter than over HTTP/1.
const LONGEST: Duration = Duration::from_secs(5);

/// The most bytes that are read: four times the default of `limits.body_bytes`.
const MOST: usize = 32 * 1024 * 1024;

/// The time for which a client may pause in total, and the bytes that refill a second of it.
const PAUSE: (Duration, u64) = (Duration::from_secs(1), 64 * 1024);

/// Reads and drops a body in the background, within bounds, and resets its stream after that.
pub(super) fn read_on<B>(body: B)
where
    B: Body<Data = Bytes> + Unpin + Send + 'static,
{
    // Without a runtime the connection is gone as well.
    if let Ok(runtime) = Handle::try_current() {
        runtime.spawn(timeout(LONGEST, drop_frames(body)));
    }
}

async fn drop_frames<B: Body<Data = Bytes> + Unpin>(mut body: B) {
    let mut left = MOST;
    let mut min_rate = MinRate::new(PAUSE.0, PAUSE.0, PAUSE.1);
    poll_fn(|cx| {
        loop {
            let Poll::Ready(frame) = Pin::new(&mut body).poll_frame(cx) else {
                return min_rate.poll_exceeded(cx);
            };
            let Some(Ok(frame)) = frame else {
                return Poll::Ready(());
            };
            let bytes = frame.data_ref().map_or(0, Bytes::len);
            min_rate.moved(bytes);
            match left.checked_sub(bytes) {
                Some(rest) => left = rest,
                None => return Poll::Ready(()),
            }
        }
    })
    .await;
}
