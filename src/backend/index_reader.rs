//! Reads the index that a site publishes for a REST root, without credentials, within bounds of size and time.

use bytes::Bytes;
use http::header::ACCEPT;
use http::{HeaderValue, StatusCode};
use serde_json::Value;
use url::Url;

use super::address::AddressFault;
use super::awaited_name::SHORTEST_PAUSE;
use super::client::{ClientError, check_client};
use super::failure::ExchangeFailure;
use super::origin_route::OriginRoute;
use super::own_requests::{OwnRequests, own_headers};
use crate::server::bodies::{CollectError, read_within};
use calendar_edge_core::concerns::SiteFault;
use calendar_edge_core::gateway::circle::CircleKey;
use calendar_edge_core::relay::{OriginFailure, without_byte_order_marks};
use calendar_edge_core::settings::{BackendSettings, OriginNamespace, Settings};
use calendar_edge_judge::contract::drift::{Drift, DriftKind, compare_index};
use calendar_edge_judge::contract::{
    EventIds, IndexFault, MOST_INDEX_BYTES, PLUGIN_NAMESPACE, PublishedIndex, SPECIFIED_NAMESPACE,
    calendar_namespace,
};
use calendar_edge_judge::problem::Words;

/// The reason why an index could not be read.
#[derive(Debug, thiserror::Error)]
pub enum IndexReadError {
    /// The client could not be made.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// Its address would change its meaning.
    #[error(transparent)]
    Address(#[from] AddressFault),
    /// The exchange failed, or took longer than `timeouts.origin_read`.
    #[error("the site does not respond")]
    Exchange(#[from] reqwest::Error),
    /// The request came back to this edge.
    #[error("the site's address leads back to this edge")]
    Circle,
    /// The site responded with another status than 200.
    #[error("the site responds with status {0}")]
    Status(u16),
    /// The response is no index.
    #[error("the response is no index")]
    Index(#[from] IndexFault),
    /// The response is JSON, and no index of the namespace.
    #[error("the response is no index")]
    Unlike {
        /// The fault of the index.
        #[source]
        fault: IndexFault,
        /// Its differences from the table.
        drifts: Vec<Drift>,
    },
}

/// Reads one REST root on the way that calls take.
struct IndexReader<'a> {
    client: reqwest::Client,
    /// By which an edge recognises its own requests; none for commands, which no request can come back to.
    circle: Option<&'a CircleKey>,
    requests: OwnRequests,
    /// The address of the edge for clients.
    public_url: Option<&'a Url>,
}

/// The namespaces of a REST root alone: whole indexes of sites with many plugins exceed a megabyte.
pub(super) const NAMESPACES: &str = "_fields=namespaces";

/// Reads which namespace of a calendar a REST root lists; none: none, or several that only look like it. Where the list
/// is closed or fails, one of the known namespaces is found by its own index.
pub(crate) async fn read_namespace(
    backend: &BackendSettings,
    root: &Url,
    circle: Option<&CircleKey>,
) -> Result<Option<String>, IndexReadError> {
    let reader = IndexReader::new(backend, root)?.of_edge(circle);
    let list = match reader.document("", Some(NAMESPACES)).await {
        Ok(list) => list,
        Err(error) if error.is_before_sending() => return Err(error),
        Err(error) => return reader.published_namespace().await.map_err(|_| error),
    };
    let listed = list.get("namespaces").and_then(Value::as_array);
    let listed = listed.into_iter().flatten().filter_map(Value::as_str);
    Ok(calendar_namespace(listed).map(str::to_owned))
}

/// The settings with the namespace that the site lists, unless they name one; the same if the site lists none or does
/// not respond.
pub async fn with_listed_namespace(mut settings: Settings) -> Settings {
    if settings.origin.namespace.is_set() {
        return settings;
    }
    if let Ok(Some(listed)) = read_namespace(&settings.site(), &settings.origin.url, None).await {
        settings.origin.namespace = OriginNamespace::listed(listed);
    }
    settings
}

/// Reads the differences of a backend's namespace below a root from the table.
pub(crate) async fn read_drift(backend: &BackendSettings, root: &Url) -> Result<Vec<Drift>, IndexReadError> {
    let namespace = backend.origin.namespace.as_str();
    let document = IndexReader::new(backend, root)?.document(namespace, None).await?;
    Ok(compare_index(&document, namespace))
}

/// Reads a document of a candidate beside its calendar; none if it has none.
///
/// # Errors
///
/// When the candidate does not respond.
pub async fn read_beside(backend: &BackendSettings, path: &str) -> Result<Option<Value>, IndexReadError> {
    let reader = IndexReader::new(backend, &backend.origin.url)?;
    match reader.document(path, None).await {
        Ok(document) => Ok(Some(document)),
        Err(error) if error.is_of_site() => Ok(None),
        Err(error) => Err(error),
    }
}

/// Reads the index of a backend's namespace below a root, and how it differs from the table; probes how the site checks
/// the ids of events.
pub(crate) async fn read_index(
    backend: &BackendSettings,
    root: &Url,
    circle: Option<&CircleKey>,
) -> Result<(PublishedIndex, Vec<Drift>), IndexReadError> {
    let reader = IndexReader::new(backend, root)?.of_edge(circle);
    let namespace = backend.origin.namespace.as_str();
    let document = reader.document(namespace, None).await?;
    let drifts = compare_index(&document, namespace);
    let index = match PublishedIndex::of_document(&document, namespace) {
        Ok(index) => index,
        Err(fault) => return Err(IndexReadError::Unlike { fault, drifts }),
    };
    // If the probe does not show them, those known before stay.
    let event_ids = match reader
        .fetch(&format!("{namespace}/{}", EventIds::PROBE), None)
        .await
    {
        Ok((status, body)) => EventIds::shown_by(status.as_u16(), &body),
        Err(_) => None,
    };
    Ok((index.with_event_ids(event_ids), drifts))
}

/// Requests the words of a root's refusals: for each kind by one request that changes nothing. None if the first
/// response shows that they are those known.
pub(crate) async fn read_words(
    backend: &BackendSettings,
    root: &Url,
    known: Option<&Words>,
    circle: Option<&CircleKey>,
) -> Result<Option<Words>, IndexReadError> {
    let reader = IndexReader::new(backend, root)?.of_edge(circle);
    let mut words = Words::english();
    for (path, query) in Words::probes(backend.origin.namespace.as_str()) {
        let (status, body) = reader.fetch(&path, query).await?;
        let response = IndexReadError::Status(status.as_u16());
        if !response.is_of_site() {
            return Err(response);
        }
        words.read_response(status, &body);
        if known.is_some_and(|known| known.begin_like(&words)) {
            return Ok(None);
        }
        let (root, status) = (root.as_str(), status.as_u16());
        tracing::info!(
            root,
            path,
            query,
            status,
            "the words of a refusal were requested from the site"
        );
    }
    Ok(Some(words))
}

// === impl IndexReadError ===

impl IndexReadError {
    /// The site's differences from the table as far as the failure shows them: none, unless the site has responded.
    pub(crate) fn drifts(&self, namespace: &str) -> Vec<Drift> {
        match self {
            Self::Status(404) => vec![DriftKind::NotThisNamespace(None).at(namespace)],
            Self::Unlike { drifts, .. } => drifts.clone(),
            Self::Client(_)
            | Self::Address(_)
            | Self::Exchange(_)
            | Self::Circle
            | Self::Status(_)
            | Self::Index(_) => Vec::new(),
        }
    }

    /// Returns true if the site itself responded, and its response counts: it is neither down nor busy.
    pub(crate) const fn is_of_site(&self) -> bool {
        match self {
            Self::Client(_) | Self::Address(_) | Self::Exchange(_) | Self::Circle => false,
            Self::Status(status) => !matches!(status, 408 | 425 | 429 | 502..),
            Self::Index(_) | Self::Unlike { .. } => true,
        }
    }

    /// Returns true if the site was not reached at all.
    fn is_before_sending(&self) -> bool {
        match self {
            Self::Client(_) | Self::Address(_) | Self::Circle => true,
            Self::Exchange(error) => error.is_connect(),
            Self::Status(_) | Self::Index(_) | Self::Unlike { .. } => false,
        }
    }

    /// The fault of the site that its response shows; none without a response.
    pub(crate) fn shown_fault(&self) -> Option<SiteFault> {
        match self {
            Self::Status(status) => StatusCode::from_u16(*status).ok().and_then(SiteFault::of_page),
            Self::Index(IndexFault::NotJson) => SiteFault::of(&OriginFailure::Malformed),
            Self::Index(_)
            | Self::Unlike { .. }
            | Self::Client(_)
            | Self::Address(_)
            | Self::Exchange(_)
            | Self::Circle => None,
        }
    }

    /// The failure of a call that depends on the response.
    pub(crate) fn into_failure(self) -> ExchangeFailure {
        match self {
            Self::Exchange(error) => ExchangeFailure::from_reqwest(error),
            Self::Circle => ExchangeFailure::Circle,
            _ => ExchangeFailure::Unavailable { wait: SHORTEST_PAUSE },
        }
    }
}

// === impl IndexReader ===

impl<'a> IndexReader<'a> {
    fn new(backend: &'a BackendSettings, root: &Url) -> Result<Self, IndexReadError> {
        let route = OriginRoute::of_root(&backend.origin, root);
        Ok(Self {
            client: check_client(backend, &route)?,
            circle: None,
            requests: OwnRequests::new(&backend.origin, root, backend.origin.mark_key.clone()),
            public_url: backend.public_url.as_ref(),
        })
    }

    /// The same in the name of an edge, if there is one.
    fn of_edge(self, circle: Option<&'a CircleKey>) -> Self {
        Self { circle, ..self }
    }

    /// The known namespace whose own index the site publishes.
    async fn published_namespace(&self) -> Result<Option<String>, IndexReadError> {
        for known in [PLUGIN_NAMESPACE, SPECIFIED_NAMESPACE] {
            match self.document(known, None).await {
                Ok(index) if PublishedIndex::of_document(&index, known).is_ok() => {
                    return Ok(Some(known.to_owned()));
                }
                Err(error) if !error.is_of_site() => return Err(error),
                Ok(_) | Err(_) => {}
            }
        }
        Ok(None)
    }

    /// The JSON of a path below the root, with a query.
    async fn document(&self, path: &str, query: Option<&str>) -> Result<Value, IndexReadError> {
        match self.fetch(path, query).await? {
            (StatusCode::OK, body) => {
                let document = serde_json::from_slice(without_byte_order_marks(&body));
                Ok(document.map_err(|_| IndexFault::NotJson)?)
            }
            (status, _) => Err(IndexReadError::Status(status.as_u16())),
        }
    }

    /// Status and body of a path below the root, with a query.
    async fn fetch(&self, path: &str, query: Option<&str>) -> Result<(StatusCode, Bytes), IndexReadError> {
        let mut headers = own_headers(self.public_url);
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        if let Some(circle) = self.circle {
            circle.sign(&mut headers);
        }
        let request = self.requests.get(&format!("/{path}"), query, headers)?;
        let response = self.client.execute(request).await?;
        let status = response.status();
        if self
            .circle
            .is_some_and(|circle| circle.is_refusal(status, response.headers()))
        {
            return Err(IndexReadError::Circle);
        }
        match read_within(reqwest::Body::from(response), MOST_INDEX_BYTES).await {
            Ok(body) => Ok((status, body)),
            Err(CollectError::Body(error)) => Err(error.into()),
            Err(_) => Err(IndexFault::TooLarge.into()),
        }
    }
}
