//! A request as text: method and target on the first line, headers, a blank line, the body.

use http::uri::PathAndQuery;
use http::{HeaderMap, HeaderName, HeaderValue, Method};

/// What a client sends, in the parts the edge sees.
#[derive(Debug, Clone)]
pub struct Request {
    pub method: Method,
    pub path: String,
    pub query: Option<String>,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Request {
    /// Reads the text; none where the HTTP library in front of the edge would have refused it.
    pub fn read(text: &[u8]) -> Option<Self> {
        let (line, mut rest) = split_line(text)?;
        let space = line.iter().position(|&byte| byte == b' ')?;
        let method = Method::from_bytes(&line[..space]).ok()?;
        let target = PathAndQuery::try_from(&line[space + 1..]).ok()?;
        let mut headers = HeaderMap::new();
        loop {
            let (line, below) = split_line(rest)?;
            rest = below;
            if line.is_empty() {
                break;
            }
            let colon = line.iter().position(|&byte| byte == b':')?;
            headers.append(
                HeaderName::from_bytes(&line[..colon]).ok()?,
                HeaderValue::from_bytes(line[colon + 1..].trim_ascii()).ok()?,
            );
        }
        Some(Self {
            method,
            path: target.path().to_owned(),
            query: target.query().map(str::to_owned),
            headers,
            body: rest.to_vec(),
        })
    }
}

fn split_line(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = text.iter().position(|&byte| byte == b'\n')?;
    Some((&text[..end], &text[end + 1..]))
}
