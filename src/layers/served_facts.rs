//! The facts logged about a request once it is served.

use super::access_record::Record;
use crate::telemetry::{ACCESS, Served, TraceContext, cut, method_label, milliseconds};

// === impl Record ===

impl Record {
    /// Writes the line. Names are OpenTelemetry's where it has one; those of the edge's own facts begin with `edge`. Texts
    /// of clients are cut; none holds a query.
    pub(super) fn write_line(&self, served: &Served<'_>) {
        let (arrival, log) = (&self.arrival, &self.log);
        tracing::info!(
            target: ACCESS,
            request_id = self.id(),
            trace_id = log.trace().map(TraceContext::trace_id),
            span_id = log.trace().map(TraceContext::span_id),
            client.address = arrival.client.map(tracing::field::display),
            http.request.method = self.method(),
            http.request.method_original = log.taken().map(|_| method_label(&arrival.method)),
            url.scheme = arrival.scheme.as_str(),
            server.address = arrival.host(),
            url.path = cut(arrival.target.path()),
            http.route = self.route().as_deref(),
            network.protocol.version = arrival.version(),
            http.request.body.size = (served.received > 0).then_some(served.received),
            http.response.status_code = served.status,
            http.response.body.size = served.bytes,
            user_agent.original = arrival.program(),
            edge.tls = arrival.is_tls,
            edge.operation = served.operation,
            edge.source = served.source,
            edge.code = self.code(),
            edge.verdict = log.verdict(),
            edge.queue_ms = served.backend.map(|times| milliseconds(times.queue)),
            edge.backend_ms = served.backend.map(|times| milliseconds(times.backend)),
            edge.edge_ms = milliseconds(served.edge),
            edge.duration_ms = milliseconds(served.duration),
            edge.complete = self.complete,
            "request served"
        );
    }
}
