//! The request that a backend would get for a call, without sending it.

use std::net::IpAddr;

use bytes::Bytes;
use http::{HeaderMap, Method};
use url::Url;

use super::address::AddressFault;
use super::authority::Authority;
use super::forwarded_headers::{Forwarded, ForwardedHeaders};
use super::wordpress::WordPressWriter;
use super::written_url::AddressedCall;
use calendar_edge_core::companion::mark::MARK;
use calendar_edge_core::gateway::authority::PublicAddress;
use calendar_edge_core::settings::BackendSettings;
use calendar_edge_judge::call::ForwardableCall;

/// An outgoing request. Its headers hold the caller's credentials.
#[derive(Debug)]
pub struct Preview {
    /// The method, after tunnelling.
    pub method: Method,
    /// Where it would be sent.
    pub url: Url,
    /// Every header but the request's id.
    pub headers: HeaderMap,
    /// The JSON body; none on reads and deletes.
    pub body: Option<Bytes>,
}

/// The client that a call comes from.
#[derive(Debug, Clone, Copy)]
pub struct PreviewClient<'a> {
    /// Its address; none for clients of a Unix socket.
    pub address: Option<IpAddr>,
    /// The headers that it sends.
    pub headers: &'a HeaderMap,
    /// The address by which it reached the edge.
    pub public: &'a PublicAddress,
}

/// The time in the mark of a call, which a preview does not have: a mark is made when the call is sent.
const NO_TIME: u64 = 0;

/// Writes a call as a backend would get it, but for the mark.
///
/// # Errors
///
/// When the call cannot be addressed without changing its meaning.
pub fn preview(
    backend: &BackendSettings,
    call: &ForwardableCall,
    client: PreviewClient<'_>,
) -> Result<Preview, AddressFault> {
    let root = backend.roots.get(call.request().root);
    let root = root.ok_or(AddressFault::UnknownRoot)?;
    let forwarded = Forwarded::new(client.address, client.public, None);
    let writer = WordPressWriter::new(backend, &Authority::of(&root.origin_url, &backend.origin));
    let forwarded = ForwardedHeaders::new(client.headers, forwarded);
    let request = writer.write(&AddressedCall::new(call.clone()), &forwarded, NO_TIME)?;
    Ok(Preview {
        method: request.method().clone(),
        url: request.url().clone(),
        headers: without_mark(request.headers().clone()),
        body: call.request().body.clone(),
    })
}

fn without_mark(mut headers: HeaderMap) -> HeaderMap {
    headers.remove(MARK);
    headers
}
