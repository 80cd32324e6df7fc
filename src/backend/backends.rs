//! All backends, the writer of calls for each, and the backend of each call.

use std::collections::HashMap;
use std::sync::Arc;

use super::address::AddressFault;
use super::authority::Authority;
use super::forwarded_headers::ForwardedHeaders;
use super::judged_call::JudgedCall;
use super::outgoing::{Again, Outgoing};
use super::shared::{SharedBackend, SharedBackends};
use super::wordpress::WordPressWriter;
use calendar_edge_core::limits::queue::Rank;
use calendar_edge_core::settings::{BackendSettings, Timeouts};
use calendar_edge_judge::call::ForwardableCall;
use calendar_edge_judge::call::credentials::Caller;

/// One backend for each authority among the REST roots and the site.
#[derive(Debug)]
pub(crate) struct Backends {
    by_root: Vec<Arc<Backend>>,
    /// The backend that serves the rest of the site.
    pub(crate) site: Arc<Backend>,
}

/// An origin that receives calls.
#[derive(Debug)]
pub(crate) struct Backend {
    name: Authority,
    writer: WordPressWriter,
    pub(super) shared: SharedBackend,
    pub(super) timeouts: Timeouts,
    pub(super) response_bytes: u64,
}

// === impl Backends ===

impl Backends {
    /// The backends of these settings; `shared` must be adapted to the same settings.
    pub(crate) fn new(settings: &BackendSettings, shared: &SharedBackends) -> Self {
        let formed: HashMap<&Authority, Arc<Backend>> = shared
            .backends
            .iter()
            .map(|(name, state)| {
                let backend = Backend::new(settings, name, state);
                (name, Arc::new(backend))
            })
            .collect();
        let of = |url| {
            let backend = formed.get(&Authority::of(url, &settings.origin)).map(Arc::clone);
            backend.expect("the shared state is adapted to these settings")
        };
        Self {
            by_root: settings.roots.iter().map(|root| of(&root.origin_url)).collect(),
            site: of(&settings.origin.url),
        }
    }

    /// The backend of a call.
    ///
    /// A call to an unknown root goes to the site's backend, whose writer refuses it.
    pub(crate) fn for_call(&self, call: &ForwardableCall) -> &Arc<Backend> {
        self.for_root(call.request().root)
    }

    /// The backend of a root; the site's for an unknown one.
    pub(crate) fn for_root(&self, root: usize) -> &Arc<Backend> {
        self.by_root.get(root).unwrap_or(&self.site)
    }
}

// === impl Backend ===

impl Backend {
    /// The backend of one authority of the settings.
    pub(super) fn new(settings: &BackendSettings, name: &Authority, shared: &SharedBackend) -> Self {
        Self {
            name: name.clone(),
            writer: WordPressWriter::new(settings, name),
            shared: shared.clone(),
            timeouts: settings.timeouts.clone(),
            response_bytes: settings.response_bytes,
        }
    }

    /// The name of the backend in metrics and log lines.
    pub(super) fn name(&self) -> &str {
        self.name.as_str()
    }

    /// Writes a call as a new request; only listed headers of the client are forwarded.
    pub(crate) fn write<'c>(
        &'c self,
        call: &'c JudgedCall,
        forwarded: &'c ForwardedHeaders,
    ) -> Result<Outgoing<'c>, AddressFault> {
        let request = self.writer.write(call, forwarded)?;
        let caller = call.credentials().caller(call.request().nonce.as_ref());
        let is_protected = call.is_write() || caller == Caller::Credentialed;
        Ok(Outgoing {
            request: Box::new(request),
            again: Again::Call(&self.writer, call, forwarded),
            is_write: call.is_write(),
            patience: None,
            rank: if is_protected {
                Rank::Protected
            } else {
                Rank::Anonymous
            },
            watch: None,
            log: Arc::default(),
        })
    }
}
