//! The facts logged about a request once it is served: one list, for its line in the log and for its span.

use std::net::IpAddr;
use std::time::Instant;

use crate::telemetry::{ACCESS, Attributes, Served, Span, SpanKind, TraceContext, milliseconds, span_name};

/// The facts about a served request. Texts of clients are cut; none holds a query.
#[derive(Debug)]
pub(super) struct ServedFacts<'r> {
    pub(super) served: &'r Served<'r>,
    pub(super) request_id: Option<&'r str>,
    pub(super) client: Option<IpAddr>,
    pub(super) method: &'static str,
    pub(super) original_method: Option<&'static str>,
    pub(super) scheme: Option<&'static str>,
    pub(super) host: Option<&'r str>,
    pub(super) path: &'r str,
    pub(super) route: Option<String>,
    pub(super) version: &'static str,
    pub(super) program: Option<&'r str>,
    pub(super) is_tls: bool,
    pub(super) code: Option<&'static str>,
    pub(super) verdict: Option<&'static str>,
    pub(super) is_complete: bool,
}

/// Gives the names and values of all facts to a macro. Names are OpenTelemetry's where it has one; those of the edge's
/// own facts begin with `edge`.
macro_rules! each_fact {
    ($facts:expr, $tell:ident) => {
        $tell! {
            client.address = $facts.client.map(tracing::field::display),
            http.request.method = $facts.method,
            http.request.method_original = $facts.original_method,
            url.scheme = $facts.scheme,
            server.address = $facts.host,
            url.path = $facts.path,
            http.route = $facts.route.as_deref(),
            network.protocol.version = $facts.version,
            http.request.body.size = ($facts.served.received > 0).then_some($facts.served.received),
            http.response.status_code = $facts.served.status,
            http.response.body.size = $facts.served.bytes,
            user_agent.original = $facts.program,
            edge.tls = $facts.is_tls,
            edge.operation = $facts.served.operation,
            edge.source = $facts.served.source,
            edge.code = $facts.code,
            edge.verdict = $facts.verdict,
            edge.queue_ms = $facts.served.backend.map(|times| milliseconds(times.queue)),
            edge.backend_ms = $facts.served.backend.map(|times| milliseconds(times.backend)),
            edge.edge_ms = milliseconds($facts.served.edge),
            edge.duration_ms = milliseconds($facts.served.duration),
            edge.complete = $facts.is_complete,
        }
    };
}

// === impl ServedFacts ===

impl ServedFacts<'_> {
    /// Writes the line.
    pub(super) fn write_line(&self, trace: Option<&TraceContext>) {
        macro_rules! line {
            ($($($name:ident).+ = $value:expr,)*) => {
                tracing::info!(
                    target: ACCESS,
                    request_id = self.request_id,
                    trace_id = trace.map(TraceContext::trace_id),
                    span_id = trace.map(TraceContext::span_id),
                    $($($name).+ = $value,)*
                    "request served"
                )
            };
        }
        each_fact!(self, line);
    }

    /// The span of a request that began at this moment.
    pub(super) fn span(&self, trace: &TraceContext, started: Instant) -> Span {
        Span {
            kind: SpanKind::Server,
            name: span_name(self.method, self.route.as_deref()),
            ids: trace.ids(),
            state: trace.state(),
            started,
            duration: self.served.duration,
            is_error: self.served.status >= 500,
            attributes: self.attributes(),
        }
    }

    fn attributes(&self) -> Attributes {
        let mut attributes = Attributes::default();
        attributes.add("request_id", self.request_id);
        macro_rules! attributes {
            ($($($name:ident).+ = $value:expr,)*) => {
                $(attributes.add(stringify!($($name).+), $value);)*
            };
        }
        each_fact!(self, attributes);
        if self.served.status >= 500 {
            let status = self.served.status.to_string();
            attributes.add("error.type", self.code.unwrap_or(&status));
        }
        attributes
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::telemetry::{AttributeValue, BackendTimes};

    #[test]
    fn names_are_spelled_as_in_the_log() {
        let served = Served {
            operation: "events.list",
            root: None,
            status: 502,
            source: "edge",
            duration: Duration::ZERO,
            bytes: 1,
            received: 1,
            edge: Duration::ZERO,
            backend: Some(BackendTimes {
                queue: Duration::ZERO,
                backend: Duration::from_micros(1500),
            }),
        };
        let facts = ServedFacts {
            served: &served,
            request_id: Some("1"),
            client: Some([127, 0, 0, 1].into()),
            method: "GET",
            original_method: Some("POST"),
            scheme: Some("http"),
            host: Some("h"),
            path: "/",
            route: Some("/events".to_owned()),
            version: "1.1",
            program: Some("p"),
            is_tls: false,
            code: Some("edge_bad_gateway"),
            verdict: Some("admit"),
            is_complete: true,
        };
        let attributes = facts.attributes().into_inner();
        let value = |name| {
            let found = attributes.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| value.clone())
        };
        let text = |text: &str| Some(AttributeValue::Text(text.to_owned()));
        assert_eq!(value("client.address"), text("127.0.0.1"));
        assert_eq!(
            value("http.response.status_code"),
            Some(AttributeValue::Whole(502))
        );
        assert_eq!(value("edge.backend_ms"), Some(AttributeValue::Fraction(1.5)));
        assert_eq!(value("error.type"), text("edge_bad_gateway"));
        assert_eq!(value("edge.complete"), Some(AttributeValue::Flag(true)));
    }
}
