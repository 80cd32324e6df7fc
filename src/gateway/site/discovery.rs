//! The index of a REST root, where the edge serves no other routes of the site (`other = "refuse"`).

use bytes::Bytes;
use http::header::LINK;
use http::{HeaderValue, StatusCode};
use url::Url;

use crate::layers::{EdgeResponse, RequestContext, ResponseFacts, refused};
use crate::server::response::{AnsweredBy, json};
use calendar_edge_core::describe::RestIndex;
use calendar_edge_core::gateway::authority::PublicAddress;
use calendar_edge_core::settings::Settings;
use calendar_edge_judge::contract::{Operation, TablesInForce};
use calendar_edge_judge::problem::Refusal;

/// The indexes of the roots, in the order of the settings.
#[derive(Debug)]
pub(in crate::gateway) struct Discovery {
    roots: Vec<DiscoveredRoot>,
    public_url: Option<Url>,
}

/// One root, as `Link` headers of responses name it.
#[derive(Debug)]
struct DiscoveredRoot {
    path: String,
    index: RestIndex,
}

// === impl Discovery ===

impl Discovery {
    pub(in crate::gateway) fn new(settings: &Settings, tables: &TablesInForce) -> Self {
        let namespaces = settings.public_namespaces();
        let offers = |operation: &Operation| offers(settings, operation);
        let roots = settings.roots.iter().enumerate();
        let roots = roots.map(|(position, root)| DiscoveredRoot {
            path: root.path.clone(),
            index: RestIndex::new(&root.path, &namespaces, tables.of_root(position), offers),
        });
        Self {
            roots: roots.collect(),
            public_url: settings.public_url.clone(),
        }
    }

    /// The index of the root at a position of the settings.
    pub(in crate::gateway) fn answer(&self, root: usize, context: &RequestContext) -> EdgeResponse {
        let base = PublicAddress::of(self.public_url.as_ref(), context.addressed()).to_string();
        let Some(root) = self.roots.get(root) else {
            return refused(&Refusal::no_route());
        };
        let mut answer = json(StatusCode::OK, Bytes::from(root.index.at(&base)));
        let link = format!("<{base}{}/>; rel=\"https://api.w.org/\"", root.path);
        if let Ok(link) = HeaderValue::try_from(link) {
            answer.headers_mut().insert(LINK, link);
        }
        EdgeResponse {
            response: answer,
            facts: ResponseFacts::Edge(AnsweredBy::OwnRoute { code: "rest_index" }),
        }
    }
}

/// Whether the settings offer an operation to anybody.
fn offers(settings: &Settings, operation: &Operation) -> bool {
    let is_allowed = settings.operations.get(&operation.id).is_none_or(|own| own.allow);
    is_allowed && !(settings.read_only && operation.is_write())
}
