//! Changes as a stream of server-sent events.

use std::convert::Infallible;
use std::future::ready;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{self, StreamExt};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, Response};
use http_body::Frame;
use http_body_util::{BodyExt, StreamBody};

use super::change_reader::ChangeReader;
use super::feed_readers::ReaderPlace;
use crate::server::response::{EdgeBody, PlainResponse};

/// The time between two signs of life.
const HEARTBEAT: Duration = Duration::from_secs(25);

/// A sign of life.
const COMMENT: &[u8] = b":\n\n";

/// The first bytes: the pause of a reader before it connects again, in milliseconds.
const RETRY: &[u8] = b"retry: 2000\n\n";

/// Sends changes as they come. The next ones are read when the client has taken the last ones, from its position in the
/// log: nothing waits for a slow reader.
pub(super) fn stream(reader: ChangeReader, place: ReaderPlace) -> PlainResponse {
    let first = stream::once(ready(Bytes::from_static(RETRY)));
    let changes = stream::unfold((reader, place), |(mut reader, place)| async move {
        let sent = next(&mut reader).await?;
        Some((sent, (reader, place)))
    });
    let frames = first
        .chain(changes)
        .map(|sent| Ok::<_, Infallible>(Frame::data(sent)));
    let body = StreamBody::new(frames).map_err(|never| match never {});
    let mut answer: Response<EdgeBody> = Response::new(body.boxed_unsync());
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform"));
    // Proxies that hold responses back until they are whole.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    answer
}

/// The next bytes; none at the end.
async fn next(reader: &mut ChangeReader) -> Option<Bytes> {
    let page = reader.next(HEARTBEAT).await;
    let page = page.filter(|_| !reader.parts.drain.has_begun())?;
    // Not even a page that is not complete has a change at the same position.
    if reader.query.since.replace(page.next) == Some(page.next) || !page.has_content() {
        return Some(Bytes::from_static(COMMENT));
    }
    let text = reader.text(&page).await;
    let token = reader.token(page.next);
    let event = [
        format!(
            "event: changes
id: {token}
data: "
        )
        .as_bytes(),
        &text,
        b"

",
    ]
    .concat();
    Some(reader.count(event.into()))
}
