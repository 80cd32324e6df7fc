//! The PROXY protocol: a header in which a proxy names the client's addresses, before the client's own bytes.
//!
//! <https://www.haproxy.org/download/3.0/doc/proxy-protocol.txt>, versions 1 and 2. The header is read byte
//! by byte, or by the length that it declares, so that no byte behind it is consumed.

use std::io;

use proxy_header::{ParseConfig, Protocol, ProxiedAddress, ProxyHeader};
use tokio::io::{AsyncRead, AsyncReadExt as _};

/// The start of a version 1 header.
const TEXT: &[u8] = b"PROXY ";

/// The longest version 1 header in bytes, including its line end.
const LONGEST_TEXT: usize = 107;

/// The start of a version 2 header.
const BINARY: &[u8] = b"\r\n\r\n\0\r\nQUIT\n";

/// The length in bytes of the fixed part of a version 2 header; its last two bytes are the length of the
/// rest.
const BINARY_HEAD: usize = 16;

/// The longest accepted rest of a version 2 header, in bytes. The protocol allows 64 KiB, but proxies send
/// only names and a checksum.
const LONGEST_REST: usize = 2048;

/// The reason why no header could be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum HeaderFault {
    /// The connection does not begin with a PROXY header.
    #[error("a connection begins without a PROXY header")]
    Missing,
    /// The connection begins like a PROXY header, but the rest is malformed or too long.
    #[error("a PROXY header is malformed")]
    Malformed,
    /// Reading failed, or the connection ended.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Reads a header and nothing behind it: the two ends of the client's connection to the proxy. `None`: the connection
/// is the proxy's own, as in a health check.
pub(super) async fn read_header<R>(stream: &mut R) -> Result<Option<ProxiedAddress>, HeaderFault>
where
    R: AsyncRead + Unpin,
{
    let mut header = vec![stream.read_u8().await?];
    match header.as_slice() {
        b"P" => read_text(stream, &mut header).await?,
        b"\r" => read_binary(stream, &mut header).await?,
        _ => return Err(HeaderFault::Missing),
    }
    parse(&header)
}

async fn read_text<R>(stream: &mut R, header: &mut Vec<u8>) -> Result<(), HeaderFault>
where
    R: AsyncRead + Unpin,
{
    read_beginning(stream, header, TEXT).await?;
    while !header.ends_with(b"\r\n") {
        if header.len() == LONGEST_TEXT {
            return Err(HeaderFault::Malformed);
        }
        header.push(stream.read_u8().await?);
    }
    Ok(())
}

async fn read_binary<R>(stream: &mut R, header: &mut Vec<u8>) -> Result<(), HeaderFault>
where
    R: AsyncRead + Unpin,
{
    read_beginning(stream, header, BINARY).await?;
    let mut rest = [0; BINARY_HEAD - BINARY.len()];
    stream.read_exact(&mut rest).await?;
    let [_, _, high, low] = rest;
    let length = usize::from(u16::from_be_bytes([high, low]));
    if length > LONGEST_REST {
        return Err(HeaderFault::Malformed);
    }
    header.extend(rest);
    header.resize(BINARY_HEAD + length, 0);
    let (_, rest) = header.split_at_mut(BINARY_HEAD);
    stream.read_exact(rest).await?;
    Ok(())
}

/// Reads until all of `beginning` has arrived and stops at the first different byte: a client that sends
/// something else is refused at once, and the edge does not wait for more of it.
async fn read_beginning<R>(stream: &mut R, header: &mut Vec<u8>, beginning: &[u8]) -> Result<(), HeaderFault>
where
    R: AsyncRead + Unpin,
{
    while header.len() < beginning.len() {
        header.push(stream.read_u8().await?);
        if !beginning.starts_with(header) {
            return Err(HeaderFault::Missing);
        }
    }
    Ok(())
}

fn parse(header: &[u8]) -> Result<Option<ProxiedAddress>, HeaderFault> {
    let config = ParseConfig {
        include_tlvs: false,
        ..ParseConfig::default()
    };
    let (parsed, length) = ProxyHeader::parse(header, config).map_err(|_| HeaderFault::Malformed)?;
    if length != header.len() {
        return Err(HeaderFault::Malformed);
    }
    match parsed.proxied_address() {
        Some(address) if address.protocol != Protocol::Stream => Err(HeaderFault::Malformed),
        addresses => Ok(addresses.cloned()),
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use proptest::prelude::*;

    use super::*;

    /// The result of reading, and the bytes left for the client's protocol.
    fn read(bytes: &[u8]) -> (Result<Option<ProxiedAddress>, HeaderFault>, &[u8]) {
        let mut rest = bytes;
        let result = read_header(&mut rest)
            .now_or_never()
            .expect("bytes in memory are always ready");
        (result, rest)
    }

    fn binary(source: &str, destination: &str, protocol: Protocol) -> Vec<u8> {
        let address = ProxiedAddress {
            protocol,
            source: source.parse().unwrap(),
            destination: destination.parse().unwrap(),
        };
        let mut header = Vec::new();
        ProxyHeader::with_address(address).encode_v2(&mut header).unwrap();
        header
    }

    #[test]
    fn both_versions_name_both_ends_and_leave_the_rest() {
        for (source, destination) in [
            ("192.0.2.1:4711", "198.51.100.2:443"),
            ("[2001:db8::1]:4711", "[2001:db8::2]:443"),
        ] {
            let expected = ProxiedAddress {
                protocol: Protocol::Stream,
                source: source.parse().unwrap(),
                destination: destination.parse().unwrap(),
            };
            let family = if expected.source.is_ipv4() { "TCP4" } else { "TCP6" };
            let text = format!(
                "PROXY {family} {} {} {} {}\r\n",
                expected.source.ip(),
                expected.destination.ip(),
                expected.source.port(),
                expected.destination.port()
            );
            for header in [text.into_bytes(), binary(source, destination, Protocol::Stream)] {
                let bytes = [header.as_slice(), b"GET / HTTP/1.1\r\n"].concat();
                let (addresses, rest) = read(&bytes);
                assert_eq!(addresses.unwrap(), Some(expected.clone()));
                assert_eq!(rest, b"GET / HTTP/1.1\r\n");
            }
        }
    }

    #[test]
    fn a_proxy_may_speak_for_itself() {
        for header in [
            &b"PROXY UNKNOWN\r\n"[..],
            b"PROXY UNKNOWN ffff:: ffff:: 65535 65535\r\n",
            b"\r\n\r\n\0\r\nQUIT\n\x20\0\0\0",
            b"\r\n\r\n\0\r\nQUIT\n\x20\0\0\x03\x03\0\0",
        ] {
            assert_eq!(read(header).0.unwrap(), None, "{header:?}");
        }
    }

    #[test]
    fn everything_else_is_refused() {
        let long = [b"PROXY UNKNOWN ".as_slice(), &[b'x'; 200], b"\r\n"].concat();
        let too_long = b"\r\n\r\n\0\r\nQUIT\n\x21\x11\xff\xff".to_vec();
        let datagram = binary("192.0.2.1:1", "192.0.2.2:2", Protocol::Datagram);
        for header in [
            &b"GET / HTTP/1.1\r\n"[..],
            b"POST / HTTP/1.1\r\n",
            b"PROXYTCP4 192.0.2.1 192.0.2.2 1 2\r\n",
            b"PROXY TCP4 192.0.2.1 192.0.2.2 1\r\n",
            b"PROXY TCP4 192.0.2.1 192.0.2.2 1 99999\r\n",
            b"PROXY TCP4 2001:db8::1 2001:db8::2 1 2\r\n",
            b"PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r3\r\n",
            b"PROXY tcp4 192.0.2.1 192.0.2.2 1 2\r\n",
            b"\x16\x03\x01\x02\0\x01",
            b"\r\n\r\n\0\r\nQUIT\n\x11\x11\0\x0c\x7f\0\0\x01\x7f\0\0\x01\0\x01\0\x02",
            b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x02\x7f\0",
            b"PROXY TCP4 192.0.2.1",
            b"\r\n\r\n\0\r\nQUIT\n\x21",
            b"",
            &long,
            &too_long,
            &datagram,
        ] {
            assert!(read(header).0.is_err(), "{header:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn no_bytes_panic_the_reader(
            beginning in prop_oneof![Just(TEXT), Just(BINARY), Just(&b""[..])],
            rest in prop::collection::vec(any::<u8>(), 0..300),
        ) {
            let bytes = [beginning, &rest].concat();
            let _ = read(&bytes);
        }

        #[test]
        fn no_text_panics_the_reader(words in "PROXY [A-Z4-6 ]{0,9}[0-9a-f:. \r\n]{0,80}\r\n") {
            let _ = read(words.as_bytes());
        }
    }
}
