//! The limit on response bytes that the kernel buffers and has not sent (`TCP_NOTSENT_LOWAT`).

use tokio::net::TcpListener;

/// The most unsent bytes that the kernel buffers for one connection: 128 KiB.
///
/// Without a limit the kernel buffers about 3 MiB, and more whenever other connections free memory. The edge
/// counts all of these bytes as taken by the client, so a client that reads nothing would outlive
/// `timeouts.client_write`. Bytes that are sent but not yet acknowledged are neither counted nor limited
/// here: a fast client on a line with a high delay gets as much at once as before.
#[cfg(target_os = "linux")]
const UNSENT: u32 = 128 * 1024;

/// Sets the limit on a listener; accepted connections inherit it.
#[cfg(target_os = "linux")]
pub(super) fn bound_unsent(listener: &TcpListener) {
    if let Err(error) = socket2::SockRef::from(listener).set_tcp_notsent_lowat(UNSENT) {
        // A sandbox may not know the option. Slow readers then live somewhat longer, as on other systems.
        tracing::debug!(error = %error, "unsent bytes in the kernel are not limited");
    }
}

/// On other systems the default of the kernel stays.
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
