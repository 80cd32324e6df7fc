//! Lines that end in CRLF and hold no control characters, found while bytes arrive.

use super::bytes::first_control;

/// The position of the search for the end of a line, counted from the first held byte.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LineScan {
    /// The first byte of the line.
    pub(super) start: usize,
    /// The first byte that was not scanned yet.
    seen: usize,
}

/// The reason why the bytes are not a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineFault {
    /// A line end other than CRLF, or a control character.
    Control,
    /// The line is longer than allowed.
    TooLong,
}

impl LineScan {
    /// Returns the next complete line without its end; `None` while it is not complete.
    ///
    /// The verdict is that of the first faulty byte, so it does not depend on how the bytes arrive.
    pub(super) fn next<'a>(&mut self, held: &'a [u8], most: usize) -> Result<Option<&'a [u8]>, LineFault> {
        let fresh = held.get(self.seen..).unwrap_or_default();
        let control = first_control(fresh).map(|at| self.seen + at);
        let clean = control.unwrap_or(held.len());
        if clean - self.start > most {
            return Err(LineFault::TooLong);
        }
        self.seen = clean;
        let Some(control) = control else {
            return Ok(None);
        };
        match held.get(control..) {
            Some([b'\r', b'\n', ..]) => {
                let line = held.get(self.start..control);
                self.start = control + 2;
                self.seen = self.start;
                Ok(line)
            }
            Some([b'\r']) => Ok(None),
            _ => Err(LineFault::Control),
        }
    }

    /// The bytes of the line that is not complete yet.
    pub(super) fn unfinished<'a>(&self, held: &'a [u8]) -> &'a [u8] {
        held.get(self.start..).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8], most: usize) -> (Vec<String>, Option<LineFault>) {
        let mut scan = LineScan::default();
        let mut found = Vec::new();
        loop {
            match scan.next(bytes, most) {
                Ok(Some(line)) => found.push(String::from_utf8_lossy(line).into_owned()),
                Ok(None) => return (found, None),
                Err(fault) => return (found, Some(fault)),
            }
        }
    }

    #[test]
    fn finds_whole_lines_only() {
        for (bytes, expected, fault) in [
            (&b"ab\r\ncd\r\n"[..], &["ab", "cd"][..], None),
            (b"ab\r\ncd\r", &["ab"], None),
            (b"ab", &[], None),
            (b"\r\n\r\n", &["", ""], None),
            (b"ab\ncd", &[], Some(LineFault::Control)),
            (b"ab\rcd", &[], Some(LineFault::Control)),
            (b"a\0", &[], Some(LineFault::Control)),
            (b"\n", &[], Some(LineFault::Control)),
        ] {
            let (found, found_fault) = lines(bytes, 100);
            assert_eq!(found, expected);
            assert_eq!(found_fault, fault, "{bytes:?}");
        }
    }

    #[test]
    fn stops_at_the_first_fault() {
        assert_eq!(lines(b"abc\r\n", 3), (vec!["abc".to_owned()], None));
        assert_eq!(lines(b"abcd\r\n", 3).1, Some(LineFault::TooLong));
        assert_eq!(lines(b"abcd", 3).1, Some(LineFault::TooLong));
        assert_eq!(lines(b"abc\0d", 3).1, Some(LineFault::Control));
        assert_eq!(lines(b"abcd\0", 3).1, Some(LineFault::TooLong));
    }
}
