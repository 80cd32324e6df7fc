//! Parked connections, over real sockets.

use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

use super::super::min_rate::MinRate;
use super::super::stream::Socket;
use super::*;
use crate::server::response::whole;
use calendar_edge_core::framing::{FrameMeter, Inspector};
use calendar_edge_core::settings::{Http2Limits, Limits};

const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
const TIME: Duration = Duration::from_mins(1);

/// Responds to every request with so many bytes.
#[derive(Debug, Clone)]
struct Answering(usize);

impl Service<Request<Incoming>> for Answering {
    type Response = Response<CountedBody>;
    type Error = Infallible;
    type Future = std::future::Ready<Result<Self::Response, Infallible>>;

    fn call(&self, _: Request<Incoming>) -> Self::Future {
        let body = whole(Bytes::from(vec![b'a'; self.0]));
        std::future::ready(Ok(Response::new(CountedBody::new(body, None))))
    }
}

fn builders() -> HttpBuilders {
    HttpBuilders {
        http1: http1::Builder::new(),
        http2: http2::Builder::new(StallWatch::new(TIME, 0)),
    }
}

/// The client's end of a connection whose responses have so many bytes.
fn connected(builders: &HttpBuilders, bytes: usize) -> (UnixStream, HttpConnection<'_, Answering>) {
    let (client, socket) = UnixStream::pair().expect("two sockets");
    let activity = Activity::new();
    let stream = ClientStream::new(
        Socket::Unix(socket),
        activity.clone(),
        MinRate::new(TIME, TIME, 0),
    );
    let inspector = Inspector::new(&Limits::default());
    let meter = FrameMeter::new(Http2Limits::default().frames);
    let stream = InspectedIo::new(stream, inspector, meter, activity.clone(), Arc::default());
    let connection = HttpConnection::new(builders, Answering(bytes), stream, activity);
    (client, connection)
}

/// Polls a connection as far as it goes, and returns the bytes that its client reads after that.
async fn served(connection: &mut HttpConnection<'_, Answering>, client: &mut UnixStream) -> String {
    let mut read = vec![0; 1024];
    let count = tokio::select! {
        ended = connection => panic!("it ended: {ended:?}"),
        count = client.read(&mut read) => count.expect("a connection"),
    };
    String::from_utf8_lossy(&read[..count]).into_owned()
}

#[tokio::test]
async fn a_parked_connection_has_nothing_of_hypers_and_goes_on() {
    let builders = builders();
    let (mut client, mut connection) = connected(&builders, 3);
    for _ in 0..3 {
        client.write_all(REQUEST).await.expect("a connection");
        let answer = served(&mut connection, &mut client).await;
        assert!(
            answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with("aaa"),
            "{answer}"
        );
        connection.park().await.expect("no error");
        assert!(connection.hyper.is_none());
        assert!(futures_util::poll!(&mut connection).is_pending());
        assert!(connection.hyper.is_none());
    }
}

#[tokio::test]
async fn a_request_that_comes_while_it_is_parked_is_answered() {
    let builders = builders();
    let (mut client, mut connection) = connected(&builders, 3);
    client.write_all(REQUEST).await.expect("a connection");
    served(&mut connection, &mut client).await;
    client.write_all(&REQUEST[..9]).await.expect("a connection");
    connection.park().await.expect("no error");
    assert!(futures_util::poll!(&mut connection).is_pending());
    client.write_all(&REQUEST[9..]).await.expect("a connection");
    let answer = served(&mut connection, &mut client).await;
    assert!(answer.ends_with("aaa"), "{answer}");
}

/// hyper would drop what it has not sent.
#[tokio::test]
async fn a_connection_with_unsent_bytes_is_not_parked() {
    let builders = builders();
    let whole = 4 << 20;
    let (mut client, mut connection) = connected(&builders, whole);
    client.write_all(REQUEST).await.expect("a connection");
    let mut read = served(&mut connection, &mut client).await.len();
    connection.park().await.expect("no error");
    assert!(connection.hyper.is_some());
    while read < whole {
        read += served(&mut connection, &mut client).await.len();
    }
    assert!(futures_util::poll!(&mut connection).is_pending());
    connection.park().await.expect("no error");
    assert!(connection.hyper.is_none());
}

/// Lets a connection read the begin of a request.
async fn begun(connection: &mut HttpConnection<'_, Answering>, client: &mut UnixStream) {
    assert!(futures_util::poll!(&mut *connection).is_pending());
    client.write_all(&REQUEST[..9]).await.expect("a connection");
    for _ in 0..3 {
        let polled = tokio::time::timeout(Duration::from_millis(1), &mut *connection).await;
        assert!(polled.is_err());
    }
}

#[tokio::test]
async fn a_connection_without_a_whole_head_has_nothing_of_hypers() {
    let builders = builders();
    let (mut client, mut connection) = connected(&builders, 3);
    begun(&mut connection, &mut client).await;
    assert!(connection.hyper.is_none());
    connection.park().await.expect("no error");
    client.write_all(&REQUEST[9..]).await.expect("a connection");
    assert!(served(&mut connection, &mut client).await.ends_with("aaa"));
}

#[tokio::test]
async fn a_connection_that_is_closed_before_its_first_request_is_not_broken() {
    let builders = builders();
    let (idle, mut silent) = connected(&builders, 3);
    silent.close();
    let (mut client, mut connection) = connected(&builders, 3);
    begun(&mut connection, &mut client).await;
    connection.close();
    drop(client);
    connection.await.expect("no error");
    drop(idle);
    silent.await.expect("no error");
}

#[tokio::test]
async fn a_client_that_begins_with_the_preface_is_served_over_http2() {
    let builders = builders();
    let (mut client, mut connection) = connected(&builders, 3);
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
    for part in preface.chunks(9) {
        client.write_all(part).await.expect("a connection");
        assert!(futures_util::poll!(&mut connection).is_pending());
    }
    served(&mut connection, &mut client).await;
    assert!(matches!(connection.hyper, Some(HyperConnection::Http2(_))));
    connection.park().await.expect("no error");
    assert!(connection.hyper.is_some());
}

#[tokio::test]
async fn a_parked_connection_ends_with_either_side() {
    let builders = builders();
    for edge_closes in [true, false] {
        let (mut client, mut connection) = connected(&builders, 3);
        client.write_all(REQUEST).await.expect("a connection");
        served(&mut connection, &mut client).await;
        connection.park().await.expect("no error");
        if edge_closes {
            connection.close();
            assert!(futures_util::poll!(&mut connection).is_pending(), "it lingers");
            assert_eq!(client.read(&mut [0; 9]).await.expect("an end"), 0);
        }
        drop(client);
        connection.await.expect("an end");
    }
}
