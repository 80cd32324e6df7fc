//! A client that sends HTTP/2 frames as they are given.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const GOAWAY: u8 = 7;

/// The flag that ends a stream, and acknowledges settings.
const END_STREAM: u8 = 1;

/// The flag that ends a block of fields.
const END_HEADERS: u8 = 4;

/// A connection that sends and reads frames without interpreting them.
#[derive(Debug)]
pub(crate) struct FrameClient {
    stream: BufReader<TcpStream>,
    next: u32,
}

/// The outcome of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// A response with this status.
    Answered(u16),
    /// It was reset.
    Reset,
    /// The connection ended.
    Ended,
}

// === impl FrameClient ===

impl FrameClient {
    pub(super) async fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.expect("the edge listens");
        // Frames are short and often sent alone.
        stream.set_nodelay(true).expect("a socket");
        let mut this = Self {
            stream: BufReader::new(stream),
            next: 1,
        };
        this.write(PREFACE).await;
        this.frame(SETTINGS, 0, 0, &[]).await;
        this
    }

    /// Sends bytes; a connection that the edge has closed is not an error.
    async fn write(&mut self, bytes: &[u8]) {
        let _ = self.stream.write_all(bytes).await;
    }

    /// Sends one frame.
    pub(crate) async fn frame(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
        self.write(&frame(kind, flags, stream, payload)).await;
    }

    /// Sends a request whose response may send no byte of its body, and waits for its head.
    pub(crate) async fn unread(&mut self, method: &str, target: &str, body: Option<&[u8]>) -> Fate {
        // SETTINGS_INITIAL_WINDOW_SIZE (RFC 9113 6.5.2) is 0.
        self.frame(SETTINGS, 0, 0, &[0, 4, 0, 0, 0, 0]).await;
        let fields = [
            (":method", method),
            (":scheme", "http"),
            (":authority", "localhost"),
            (":path", target),
        ];
        let stream = self.request(&fields, body).await;
        self.fate(stream).await
    }

    /// Sends the body of a stream in pieces, and all of them at once.
    pub(crate) async fn body_at_once(&mut self, stream: u32, pieces: std::slice::Chunks<'_, u8>) {
        let mut frames: Vec<u8> = pieces.flat_map(|piece| frame(DATA, 0, stream, piece)).collect();
        frames.extend(frame(DATA, END_STREAM, stream, &[]));
        self.write(&frames).await;
    }

    /// Sends a request on a new stream.
    pub(crate) async fn request(&mut self, fields: &[(&str, &str)], body: Option<&[u8]>) -> u32 {
        match body {
            Some(body) => {
                let stream = self.open(fields).await;
                self.frame(DATA, END_STREAM, stream, body).await;
                stream
            }
            None => self.head(fields, END_STREAM).await,
        }
    }

    /// Sends the head of a request on a new stream, whose body stays open.
    pub(crate) async fn open(&mut self, fields: &[(&str, &str)]) -> u32 {
        self.head(fields, 0).await
    }

    async fn head(&mut self, fields: &[(&str, &str)], flags: u8) -> u32 {
        self.head_of(&self::fields(fields), flags).await
    }

    async fn head_of(&mut self, block: &[u8], flags: u8) -> u32 {
        let stream = self.next;
        self.next += 2;
        self.frame(HEADERS, END_HEADERS | flags, stream, block).await;
        stream
    }

    /// Sends a request without a body on a new stream, whose fields are written already.
    pub(crate) async fn block(&mut self, block: &[u8]) -> u32 {
        self.head_of(block, END_STREAM).await
    }

    /// Waits for the outcome of a stream.
    pub(crate) async fn fate(&mut self, of: u32) -> Fate {
        loop {
            let Some((kind, stream, payload)) = self.read().await else {
                return Fate::Ended;
            };
            match kind {
                HEADERS if stream == of => return Fate::Answered(status(&payload)),
                RST_STREAM if stream == of => return Fate::Reset,
                GOAWAY => return Fate::Ended,
                _ => {}
            }
        }
    }

    async fn read(&mut self) -> Option<(u8, u32, Vec<u8>)> {
        let mut head = [0; 9];
        self.stream.read_exact(&mut head).await.ok()?;
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        let mut payload = vec![0; usize::try_from(length).expect("a frame fits")];
        self.stream.read_exact(&mut payload).await.ok()?;
        let stream = u32::from_be_bytes([head[5], head[6], head[7], head[8]]);
        Some((head[3], stream, payload))
    }
}

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len())
        .expect("a short payload")
        .to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// A block of fields as HPACK writes them without any table.
pub(crate) fn fields(fields: &[(&str, &str)]) -> Vec<u8> {
    let literals = fields.iter().map(|(name, value)| literal(name, value));
    literals.flatten().collect()
}

/// A field as HPACK writes it without any table (RFC 7541 6.2.2).
fn literal(name: &str, value: &str) -> Vec<u8> {
    let mut bytes = vec![0];
    for text in [name, value] {
        bytes.extend(length(text.len()));
        bytes.extend_from_slice(text.as_bytes());
    }
    bytes
}

/// A number with a prefix of seven bits (RFC 7541 5.1).
fn length(number: usize) -> Vec<u8> {
    let Some(mut rest) = number.checked_sub(127) else {
        return vec![u8::try_from(number).expect("less than 127")];
    };
    let mut bytes = vec![127];
    while rest >= 128 {
        bytes.push(u8::try_from(rest % 128).expect("less than 128") | 128);
        rest /= 128;
    }
    bytes.push(u8::try_from(rest).expect("less than 128"));
    bytes
}

/// The status of a response, which servers write first: an index of HPACK's static table, or digits in its
/// Huffman code (RFC 7541 appendices A and B).
fn status(block: &[u8]) -> u16 {
    match block {
        [0x88, ..] => 200,
        [0x8c, ..] => 400,
        [0x8d, ..] => 404,
        [0x48, 0x83, 0x68, 0x0f, 0x7f, ..] => 408,
        [0x48, 0x83, 0x69, 0x90, 0xff, ..] => 431,
        _ => panic!("a status that this client cannot read: {block:?}"),
    }
}
