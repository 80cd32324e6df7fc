//! The bytes that pass through an inspected stream.

use tokio::io::AsyncReadExt;

use super::*;
use calendar_edge_core::errors;
use calendar_edge_core::settings::{Http2Limits, Limits};

const STREAM: &str = "GET /a HTTP/1.1\r\nHost: a\r\n\r\nPOST /b HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc\
                      POST /c HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";

fn inspected_io(stream: &[u8]) -> (InspectedIo<&[u8]>, Arc<FoundBreach>) {
    let breach = Arc::<FoundBreach>::default();
    let inspector = Inspector::new(&Limits::default());
    let meter = FrameMeter::new(Http2Limits::default().frames);
    let stream = InspectedIo::new(stream, inspector, meter, Activity::new(), breach.clone());
    (stream, breach)
}

/// Reads everything up to the end, at most `room` bytes at once.
async fn read(stream: &[u8], room: usize) -> String {
    let (mut stream, _) = inspected_io(stream);
    let (mut all, mut space) = (Vec::new(), vec![0; room]);
    loop {
        match stream.read(&mut space).await.expect("reading from memory") {
            0 => return String::from_utf8(all).expect("text"),
            count => all.extend_from_slice(&space[..count]),
        }
    }
}

#[tokio::test]
async fn good_bytes_pass_untouched_whatever_the_room() {
    for room in [1, 7, 24, READ - 1, READ, 8192] {
        assert_eq!(read(STREAM.as_bytes(), room).await, STREAM);
    }
    let long = format!("{}{}", STREAM.repeat(200), "GET / HTTP/1.1\r\n");
    for room in [100, READ, 8192] {
        assert_eq!(read(long.as_bytes(), room).await, STREAM.repeat(200));
    }
}

#[tokio::test]
async fn http2_passes_untouched() {
    let stream = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\n\r".as_slice();
    for room in [1, 24, 8192] {
        assert_eq!(read(stream, room).await.as_bytes(), stream);
    }
}

#[tokio::test]
async fn a_forbidden_frame_replaces_the_bytes_after_a_flood() {
    let settings = b"\0\0\0\x04\0\0\0\0\0";
    let most = usize::try_from(Http2Limits::default().frames).expect("a size") * 10 / 4;
    let start = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    let expected = [start, settings.repeat(most + 1).as_slice(), FORBIDDEN_FRAME].concat();
    let stream = [start, settings.repeat(most + 99).as_slice()].concat();
    for room in [1, 24, 8192] {
        let (mut inspected_io, _) = inspected_io(&stream);
        let mut read = vec![0; expected.len()];
        for part in read.chunks_mut(room) {
            inspected_io.read_exact(part).await.expect("reading from memory");
        }
        assert!(read == expected, "room {room}");
        let more = futures_util::FutureExt::now_or_never(inspected_io.read_u8());
        assert!(more.is_none(), "neither bytes nor an end");
    }
}

#[tokio::test]
async fn requests_begin_before_more_is_read() {
    let start = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".as_slice();
    let bulky = |kind| [&[0, 4, 0, kind, 4, 0, 0, 0, 1], [0x82; 1024].as_slice()].concat();
    for (kind, waits) in [(1, true), (0, false)] {
        let stream = [start, bulky(kind).repeat(20).as_slice()].concat();
        let (mut inspected_io, _) = inspected_io(&stream);
        let mut space = [0; 8192];
        inspected_io
            .read_exact(&mut space)
            .await
            .expect("reading from memory");
        let at_once = futures_util::FutureExt::now_or_never(inspected_io.read(&mut space));
        assert_eq!(at_once.is_none(), waits, "{kind}");
        let later = inspected_io.read(&mut space).await.expect("reading from memory");
        assert!(later > 0);
    }
}

#[tokio::test]
async fn a_respelt_head_stands_between_its_neighbours() {
    let stream = format!("{STREAM}GET /?\" HTTP/1.1\r\nA: \"\r\n\r\n{STREAM}");
    let expected = format!("{STREAM}GET /?%22 HTTP/1.1\r\nA: \"\r\n\r\n{STREAM}");
    for room in [1, READ, 8192] {
        assert_eq!(read(stream.as_bytes(), room).await, expected);
    }
}

#[tokio::test]
async fn a_stand_in_replaces_a_broken_head_and_nothing_follows() {
    let stream = format!("{STREAM}PUT / HTTP/1.1\r\nA : b\r\n\r\n{STREAM}");
    let expected = format!("{STREAM}PUT / HTTP/1.1\r\nConnection: close\r\n\r\n");
    for room in [1, READ, 8192] {
        let (mut inspected_io, breach) = inspected_io(stream.as_bytes());
        let mut read = Vec::new();
        while read.len() < expected.len() {
            let mut space = vec![0; room];
            let count = inspected_io.read(&mut space).await.expect("reading from memory");
            read.extend_from_slice(&space[..count]);
        }
        assert_eq!(String::from_utf8_lossy(&read), expected);
        let more = futures_util::FutureExt::now_or_never(inspected_io.read_u8());
        assert!(more.is_none(), "neither bytes nor an end");
        let found = [(); 4].map(|()| breach.begin().of_head());
        assert_eq!(found, [None, None, None, Some(errors::BAD_HEADER)]);
    }
}

#[tokio::test]
async fn a_broken_body_ends_the_stream_at_its_last_good_byte() {
    let good = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n";
    for room in [1, READ, 8192] {
        assert_eq!(read(format!("{good}3\nabc\r\n").as_bytes(), room).await, good);
    }
    let (mut inspected_io, breach) =
        inspected_io(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n");
    inspected_io
        .read_to_end(&mut Vec::new())
        .await
        .expect("reading from memory");
    let framing = breach.begin();
    assert_eq!(
        (framing.of_head(), framing.of_body()),
        (None, Some(errors::BAD_CHUNK))
    );
}
