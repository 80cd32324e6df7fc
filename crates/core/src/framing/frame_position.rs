//! The facts about the rest of an HTTP/2 frame that its first bytes contain.

/// The bytes before the payload of a frame (RFC 9113 4.1).
pub(super) const HEAD: usize = 9;

/// DATA that carries less than this many bytes is metered. Padding does not count: it is dropped, and what is left
/// costs as much memory as DATA without padding.
const SMALL_DATA: u32 = 64;

/// DATA that carries less than this many bytes takes more memory than its bytes until it is read.
const LIGHT_DATA: u32 = 256;

/// The flag of DATA that ends its stream (RFC 9113 6.1).
pub(super) const END_STREAM: u8 = 1;

/// The flag of DATA whose payload begins with the length of its padding (RFC 9113 6.1).
pub(super) const PADDED: u8 = 8;

/// The types of frames (RFC 9113 6).
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const WINDOW_UPDATE: u8 = 8;
const CONTINUATION: u8 = 9;

/// The kinds of frames that carry nothing, or next to nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FrameKind {
    /// `RST_STREAM`: the client cancels a request.
    Reset,
    /// SETTINGS, including acknowledgements.
    Settings,
    /// PING, including replies.
    Ping,
    /// `WINDOW_UPDATE`.
    WindowUpdate,
    /// DATA that carries nothing and does not end its stream.
    EmptyData,
    /// DATA that carries less than 64 bytes and does not end its stream.
    SmallData,
    /// PRIORITY, GOAWAY and kinds that have no meaning here.
    Other,
}

/// The place of the next byte in the frames of a connection.
#[derive(Debug, Clone, Copy)]
pub(super) enum FramePosition {
    /// This many bytes of a frame's head are known.
    Head([u8; HEAD], usize),
    /// A payload of DATA of this many bytes, which begins with the length of its padding. It may end its stream.
    PadLength(u32, bool),
    /// This many bytes of a payload are left. The frame is charged, or is free.
    Payload(u32, Option<FrameKind>),
}

// === impl FramePosition ===

impl FramePosition {
    /// The beginning of a payload, by the head of its frame; and true for HEADERS, and for DATA that is shorter than
    /// the memory needed to keep it.
    pub(super) const fn of_payload(head: [u8; HEAD]) -> (Self, bool) {
        let [high, middle, low, kind, flags, ..] = head;
        let length = u32::from_be_bytes([0, high, middle, low]);
        let charged = match kind {
            DATA if flags & PADDED != 0 && length > 0 => {
                return (Self::PadLength(length, flags & END_STREAM != 0), false);
            }
            DATA => return Self::of_data(length, length, flags & END_STREAM != 0),
            // Free: the library limits the frames of one request, and requests have limits of their own.
            HEADERS | CONTINUATION => return (Self::Payload(length, None), kind == HEADERS),
            RST_STREAM => Some(FrameKind::Reset),
            SETTINGS => Some(FrameKind::Settings),
            PING => Some(FrameKind::Ping),
            WINDOW_UPDATE => Some(FrameKind::WindowUpdate),
            _ => Some(FrameKind::Other),
        };
        (Self::Payload(length, charged), false)
    }

    /// DATA with `left` bytes of payload, of which it carries so many.
    const fn of_data(left: u32, carried: u32, ends_stream: bool) -> (Self, bool) {
        let charged = match carried {
            _ if ends_stream => None,
            0 => Some(FrameKind::EmptyData),
            1..SMALL_DATA => Some(FrameKind::SmallData),
            SMALL_DATA.. => None,
        };
        (Self::Payload(left, charged), carried < LIGHT_DATA)
    }

    /// DATA whose payload had `length` bytes with the length of its padding, which was read.
    pub(super) const fn of_padded_data(length: u32, padding: u8, ends_stream: bool) -> (Self, bool) {
        let left = length - 1;
        let carried = left.saturating_sub(padding as u32);
        Self::of_data(left, carried, ends_stream)
    }
}
