//! The request that a backend would get for a call, without sending it.

use super::address::AddressFault;
use super::addressed_call::AddressedCall;
use super::authority::Authority;
use super::forwarded_headers::{Forwarded, ForwardedHeaders};
use super::wordpress::WordPressWriter;
use calendar_edge_core::companion::mark::MARK;
use calendar_edge_core::gateway::authority::PublicAddress;
use calendar_edge_core::gateway::decision::RequestHead;
use calendar_edge_core::settings::BackendSettings;
use calendar_edge_judge::call::ForwardableCall;

/// Writes a call of a client as a backend would get it, but for the mark, which is made when the call is sent, and the
/// request's id. The headers hold the caller's credentials.
///
/// # Errors
///
/// When the call cannot be addressed without changing its meaning.
pub fn preview(
    backend: &BackendSettings,
    call: &ForwardableCall,
    client: &RequestHead<'_>,
    public: &PublicAddress,
) -> Result<reqwest::Request, AddressFault> {
    let root = backend.roots.get(call.request().root);
    let root = root.ok_or(AddressFault::UnknownRoot)?;
    let writer = WordPressWriter::new(backend, &Authority::of(&root.origin_url, &backend.origin));
    let forwarded = Forwarded::new(client.client, public);
    let forwarded = ForwardedHeaders::new(&client.parts.headers, forwarded);
    let mut request = writer.write(&AddressedCall::new(call.clone()), &forwarded)?;
    request.headers_mut().remove(MARK);
    Ok(request)
}
