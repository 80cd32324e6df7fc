//! The edge's own documents about the API: the `OpenAPI` document, and the index of a REST root where it serves no
//! other routes of the site (`other = "refuse"`).

use std::sync::{Arc, LazyLock};

use bytes::Bytes;
use http::header::LINK;
use http::{HeaderValue, StatusCode};
use url::Url;

use crate::layers::{EdgeResponse, RequestContext, ResponseFacts, refused};
use crate::server::response::{ResponseSource, json};
use calendar_edge_core::describe::{AddressedDocument, PublicRoot};
use calendar_edge_core::gateway::authority::PublicAddress;
use calendar_edge_core::settings::Settings;
use calendar_edge_judge::contract::{Operation, TablesInForce};
use calendar_edge_judge::problem::Refusal;

/// The documents of the roots, in the order of the settings.
#[derive(Debug)]
pub(in crate::gateway) struct Discovery {
    roots: Vec<DiscoveredRoot>,
    public_url: Option<Url>,
}

/// One root, as `Link` headers of responses name it.
#[derive(Debug)]
struct DiscoveredRoot {
    path: String,
    index: AddressedDocument,
    /// Large, and seldom read: written for its first reader.
    openapi: LazyLock<AddressedDocument, Box<dyn FnOnce() -> AddressedDocument + Send + Sync>>,
}

// === impl Discovery ===

impl Discovery {
    pub(in crate::gateway) fn new(settings: &Settings, tables: &TablesInForce) -> Self {
        let namespaces = settings.public_namespaces();
        let offers = |operation: &Operation| offers(settings, operation);
        let roots = settings.roots.iter().enumerate();
        let roots = roots.map(|(position, root)| {
            let (table, names) = (tables.of_root(position), namespaces.clone());
            let index = AddressedDocument::rest_index(&root.path, &names, table, offers);
            let (table, path) = (Arc::clone(table), root.path.clone());
            let public = PublicRoot {
                url: path.clone(),
                language: root.language.clone(),
            };
            let openapi = move || AddressedDocument::openapi(public, names, table);
            DiscoveredRoot {
                path,
                index,
                openapi: LazyLock::new(Box::new(openapi)),
            }
        });
        Self {
            roots: roots.collect(),
            public_url: settings.public_url.clone(),
        }
    }

    /// The index of the root at a position of the settings.
    pub(in crate::gateway) fn index(&self, root: usize, context: &RequestContext) -> EdgeResponse {
        self.document(root, context, "rest_index", |root| &root.index)
    }

    /// The `OpenAPI` document of the root at a position of the settings.
    pub(in crate::gateway) fn openapi(&self, root: usize, context: &RequestContext) -> EdgeResponse {
        self.document(root, context, "openapi", |root| &root.openapi)
    }

    fn document(
        &self,
        root: usize,
        context: &RequestContext,
        code: &'static str,
        document: impl FnOnce(&DiscoveredRoot) -> &AddressedDocument,
    ) -> EdgeResponse {
        let base = PublicAddress::of(self.public_url.as_ref(), context.addressed()).to_string();
        let Some(root) = self.roots.get(root) else {
            return refused(&Refusal::no_route());
        };
        let mut answer = json(StatusCode::OK, Bytes::from(document(root).at(&base)));
        let link = format!("<{base}{}/>; rel=\"https://api.w.org/\"", root.path);
        if let Ok(link) = HeaderValue::try_from(link) {
            answer.headers_mut().insert(LINK, link);
        }
        EdgeResponse {
            response: answer,
            facts: ResponseFacts::Edge(ResponseSource::OwnRoute { code }),
        }
    }
}

/// True if the settings offer an operation to any client.
fn offers(settings: &Settings, operation: &Operation) -> bool {
    settings.allows(operation.id) && !(settings.read_only && operation.is_write())
}
