//! The rest of a body over HTTP/2 whose request got its response early.
//!
//! Dropping such a body resets its stream. Some clients that are still sending then report the reset and never read the
//! response. Over HTTP/1 the connection itself goes on to read, when it is closed.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body::Body;
use tokio::runtime::Handle;

use crate::server::Leftover;

/// The longest time for which a body is read. The end of the edge may wait for it, so it is shorter than over HTTP/1.
const LONGEST: Duration = Duration::from_secs(5);

/// Reads and drops a body in the background, within bounds, and resets its stream after that.
pub(super) fn read_on<B>(body: B)
where
    B: Body<Data = Bytes> + Unpin + Send + 'static,
{
    // Without a runtime the connection is gone as well.
    if let Ok(runtime) = Handle::try_current() {
        runtime.spawn(drop_frames(body));
    }
}

async fn drop_frames<B: Body<Data = Bytes> + Unpin>(mut body: B) {
    let mut leftover = Leftover::new(LONGEST);
    poll_fn(|cx| {
        leftover.poll_end(cx, |cx| {
            let frame = ready!(Pin::new(&mut body).poll_frame(cx));
            let frame = frame.and_then(Result::ok);
            Poll::Ready(frame.map(|frame| frame.data_ref().map_or(0, Bytes::len)))
        })
    })
    .await;
}
