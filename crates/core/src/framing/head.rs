//! The head of an HTTP/1 request, read line by line.

use std::ops::Range;

use http::Version;
use http::header::CONTENT_LENGTH;

use super::breach::Breach;
use super::fields::{self, LONGEST_NAME};
use super::line::{LineFault, LineScan};
use super::request_line::{self, RequestLine};
use super::target::Respelling;
use crate::errors;
use crate::settings::Limits;

/// The most bytes of a field line besides name and value: the colon and blanks.
const FIELD_SLACK: usize = 8;

/// A complete and valid head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// Its size in bytes, up to and including the empty line.
    pub bytes: usize,
    /// Another spelling of the target, to pass on instead of the client's.
    pub respelling: Option<Respelling>,
    /// The body that follows.
    pub(super) body: Body,
}

/// The rule that determines the end of the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Body {
    /// This many bytes follow, perhaps 0.
    Length(u64),
    /// The body is chunked.
    Chunked,
}

/// Reads one head.
#[derive(Debug, Clone, Default)]
pub(super) struct HeadReader {
    scan: LineScan,
    stage: HeadStage,
    request: Option<RequestLine>,
    fields: usize,
    /// Bytes of field names and values.
    field_bytes: usize,
    /// Bytes of field lines, including their padding.
    line_bytes: usize,
    /// As far as a field states it.
    body: Option<Body>,
}

#[derive(Debug, Clone, Copy, Default)]
enum HeadStage {
    /// One empty line may precede a request (RFC 9112 2.2).
    #[default]
    Before,
    RequestLine,
    Fields,
}

impl HeadReader {
    /// Continues to read. `held` must contain all bytes since the head's first one. `None`: the head is not
    /// complete.
    pub(super) fn read(&mut self, held: &[u8], limits: &Limits) -> Result<Option<Head>, Breach> {
        loop {
            let most = self.longest_line(limits);
            let line = match self.scan.next(held, most) {
                Ok(Some(line)) => line,
                Ok(None) => return Ok(None),
                Err(LineFault::Control) => return Err(errors::BAD_LINE),
                Err(LineFault::TooLong) => return Err(self.too_long(held)),
            };
            match self.stage {
                HeadStage::Before if line.is_empty() => self.stage = HeadStage::RequestLine,
                HeadStage::Before | HeadStage::RequestLine => {
                    // The scan stands behind the line's CRLF.
                    let start = self.scan.start - line.len() - 2;
                    self.request = Some(RequestLine::read(line, start, limits.target_bytes)?);
                    self.stage = HeadStage::Fields;
                }
                HeadStage::Fields if line.is_empty() => return Ok(Some(self.finish())),
                HeadStage::Fields => self.field(line, limits)?,
            }
        }
    }

    /// The position of the method, once the request line has been accepted.
    pub(super) fn method(&self) -> Option<Range<usize>> {
        self.request.as_ref().map(|request| request.method.clone())
    }

    fn longest_line(&self, limits: &Limits) -> usize {
        match self.stage {
            HeadStage::Before | HeadStage::RequestLine => request_line::longest(limits.target_bytes),
            HeadStage::Fields => {
                let one = limits.header_bytes.saturating_add(LONGEST_NAME + FIELD_SLACK);
                let padding = limits.headers.saturating_mul(FIELD_SLACK);
                let all = limits.header_list_bytes.saturating_add(padding);
                one.min(all.saturating_sub(self.line_bytes))
            }
        }
    }

    fn too_long(&self, held: &[u8]) -> Breach {
        match self.stage {
            HeadStage::Before | HeadStage::RequestLine => request_line::too_long(self.scan.unfinished(held)),
            HeadStage::Fields => errors::HEADERS_TOO_LARGE,
        }
    }

    fn field(&mut self, line: &[u8], limits: &Limits) -> Result<(), Breach> {
        let (name, value) = fields::split(line)?;
        self.fields += 1;
        self.field_bytes = self.field_bytes.saturating_add(name.len() + value.len());
        self.line_bytes = self.line_bytes.saturating_add(line.len());
        let fits = name.len() <= LONGEST_NAME
            && value.len() <= limits.header_bytes
            && self.fields <= limits.headers
            && self.field_bytes <= limits.header_list_bytes;
        if !fits {
            return Err(errors::HEADERS_TOO_LARGE);
        }
        match fields::framing_field(name)? {
            Some(CONTENT_LENGTH) => self.length_field(value),
            Some(_) => self.coding_field(value),
            None => Ok(()),
        }
    }

    fn length_field(&mut self, value: &[u8]) -> Result<(), Breach> {
        match self.body {
            Some(Body::Chunked) => return Err(errors::LENGTH_AND_CODING),
            Some(Body::Length(_)) => return Err(errors::AMBIGUOUS_LENGTH),
            None => self.body = Some(Body::Length(fields::length(value)?)),
        }
        Ok(())
    }

    fn coding_field(&mut self, value: &[u8]) -> Result<(), Breach> {
        let before = self.body.replace(Body::Chunked);
        if let Some(Body::Length(_)) = before {
            return Err(errors::LENGTH_AND_CODING);
        }
        let is_old = self
            .request
            .as_ref()
            .is_some_and(|request| request.version == Version::HTTP_10);
        if is_old || before.is_some() {
            return Err(errors::BAD_TRANSFER_ENCODING);
        }
        fields::coding(value)
    }

    fn finish(&mut self) -> Head {
        Head {
            bytes: self.scan.start,
            respelling: self.request.take().and_then(|request| request.respelling),
            body: self.body.unwrap_or(Body::Length(0)),
        }
    }
}
