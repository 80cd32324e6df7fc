//! The facts logged about a request once it is served: one list, for its line in the log and for its span.

use super::access_record::Record;
use crate::telemetry::{
    ACCESS, Attributes, Served, Span, SpanKind, TraceContext, cut, method_label, milliseconds, span_name,
};

/// Gives the names and values of all facts to a macro. Names are OpenTelemetry's where it has one; those of the edge's
/// own facts begin with `edge`. Texts of clients are cut; none holds a query.
macro_rules! each_fact {
    ($record:expr, $served:expr, $tell:ident) => {
        $tell! {
            client.address = $record.arrival.client.map(tracing::field::display),
            http.request.method = $record.method(),
            http.request.method_original = $record.log.taken().map(|_| method_label(&$record.arrival.method)),
            url.scheme = $record.arrival.scheme.as_str(),
            server.address = $record.arrival.host(),
            url.path = cut($record.arrival.target.path()),
            http.route = $record.route().as_deref(),
            network.protocol.version = $record.arrival.version(),
            http.request.body.size = ($served.received > 0).then_some($served.received),
            http.response.status_code = $served.status,
            http.response.body.size = $served.bytes,
            user_agent.original = $record.arrival.program(),
            edge.tls = $record.arrival.is_tls,
            edge.operation = $served.operation,
            edge.source = $served.source,
            edge.code = $record.code(),
            edge.verdict = $record.log.verdict(),
            edge.queue_ms = $served.backend.map(|times| milliseconds(times.queue)),
            edge.backend_ms = $served.backend.map(|times| milliseconds(times.backend)),
            edge.edge_ms = milliseconds($served.edge),
            edge.duration_ms = milliseconds($served.duration),
            edge.complete = $record.complete,
        }
    };
}

// === impl Record ===

impl Record {
    /// Writes the line.
    pub(super) fn write_line(&self, served: &Served<'_>) {
        let trace = self.log.trace();
        macro_rules! line {
            ($($($name:ident).+ = $value:expr,)*) => {
                tracing::info!(
                    target: ACCESS,
                    request_id = self.id(),
                    trace_id = trace.map(TraceContext::trace_id),
                    span_id = trace.map(TraceContext::span_id),
                    $($($name).+ = $value,)*
                    "request served"
                )
            };
        }
        each_fact!(self, served, line);
    }

    /// The span of the request.
    pub(super) fn span(&self, served: &Served<'_>, trace: &TraceContext) -> Span {
        Span {
            kind: SpanKind::Server,
            name: span_name(self.method(), self.route().as_deref()),
            ids: trace.ids,
            state: trace.state(),
            started: self.started,
            duration: served.duration,
            is_error: served.status >= 500,
            attributes: self.attributes(served),
        }
    }

    fn attributes(&self, served: &Served<'_>) -> Attributes {
        let mut attributes = Attributes::default();
        attributes.add("request_id", self.id());
        macro_rules! attributes {
            ($($($name:ident).+ = $value:expr,)*) => {
                $(attributes.add(stringify!($($name).+), $value);)*
            };
        }
        each_fact!(self, served, attributes);
        if served.status >= 500 {
            let status = served.status.to_string();
            attributes.add("error.type", self.code().unwrap_or(&status));
        }
        attributes
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use http::{Request, StatusCode};

    use super::*;
    use crate::layers::access_record::LogSinks;
    use crate::layers::arrived_request::ArrivedRequest;
    use crate::server::response::ResponseSource;
    use crate::telemetry::{AttributeValue, BackendTimes, Metrics, Refusals};
    use calendar_edge_core::settings::Settings;

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
        let settings = Settings::default();
        let sinks = LogSinks::new(&settings, Metrics::new(), Refusals::default(), None);
        let mut request = ArrivedRequest::from_nowhere(Request::post("http://h/").body(()).unwrap());
        request.context.client.address = Some([127, 0, 0, 1].into());
        let mut record = Record::begin(&Arc::new(sinks), &request);
        let code = "edge_bad_gateway";
        record.responded(StatusCode::BAD_GATEWAY, Some(ResponseSource::Edge { code }));
        record.sent(0, true);
        let attributes = record.attributes(&served).0;
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
