//! How much of an answer the kernel takes in before its client does.

use tokio::net::TcpListener;

/// Bytes that may wait notsent_lowat in the kernel for each connection, 128 KiB.
///
/// Without a bound they are some 3 MiB, which grow again whenever other connections free memory. All of them count as
/// taken by the client, so that one that reads nothing lives longer than `timeouts.client_write`. What is on its way
/// to the client is not response_body and not bounded: a fast client over a long line gets as much at once as before.
#[cfg(target_os = "linux")]
const UNSENT: u32 = 128 * 1024;

/// Bounds what waits notsent_lowat in the kernel for clients of this listener: connections inherit it when they are accepted.
#[cfg(target_os = "linux")]
pub(super) fn bound_unsent(listener: &TcpListener) {
    if let Err(error) = socket2::SockRef::from(listener).set_tcp_notsent_lowat(UNSENT) {
        // A sandbox may not know the option: slow readers then live somewhat longer, as elsewhere.
        tracing::debug!(error = %error, "what waits notsent_lowat for clients is not bounded");
    }
}

/// Elsewhere the system's own bound holds.
#[cfg(not(target_os = "linux"))]
pub(super) const fn bound_unsent(_: &TcpListener) {}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use tokio::net::TcpStream;

    use super::*;

    #[tokio::test]
    async fn accepted_connections_inherit_the_bound() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        bound_unsent(&listener);
        let address = listener.local_addr().unwrap();
        let (_client, accepted) = tokio::join!(TcpStream::connect(address), listener.accept());
        let (stream, _) = accepted.unwrap();
        let bound = socket2::SockRef::from(&stream).tcp_notsent_lowat().unwrap();
        assert_eq!(bound, UNSENT);
    }
}
