//! One client connection: its protocol limits, its keep-alive timer and its drain.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::header::CONNECTION;
use http::{HeaderValue, Request, Response, Version};
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::Service;
use hyper_util::rt::TokioTimer;
use ipnet::IpNet;

use super::activity::{Activity, Due, Phase, PhaseLimits, PhaseWatch, RunningRequest};
use super::drain::{Drain, DrainStage};
use super::framing::FoundBreach;
use super::h2_stalls::StallWatch;
use super::http_connection::{BrokenConnection, ClientService, HttpBuilders, HttpConnection};
use super::inspected_io::InspectedIo;
use super::peer::Peer;
use super::per_address::AddressPermit;
use super::received_request::ReceivedRequest;
use super::response_body::CountedBody;
use super::stream::{ClientStream, Socket};
use crate::server::response::PlainResponse;
use crate::telemetry::ConnectionEnd;
use calendar_edge_core::framing::{FrameMeter, Inspector};
use calendar_edge_core::settings::{Http2Limits, Limits, Timeouts};

/// The factor between the configured limits of an HTTP/1 head and those set on hyper, which refuses without a
/// body.
///
/// The inspector enforces the configured limits. A target that it respelt may be longer than before, so
/// hyper's limits must be higher.
const HEADROOM: usize = 4;

/// The HTTP settings shared by all connections of one listener.
#[derive(Debug, Clone)]
pub(crate) struct Protocol {
    builders: HttpBuilders,
    inspector: Inspector,
    meter: FrameMeter,
    /// All steps before HTTP have the time of a head.
    pub(super) limits: PhaseLimits,
    /// The lowest rate at which a client must read a response.
    stalls: StallWatch,
    /// The proxies whose headers begin connections; `None`: connections begin without.
    pub(super) proxies: Option<Arc<[IpNet]>>,
}

impl Protocol {
    /// Sets every limit but the number of header fields explicitly: library defaults may change, and they are not made
    /// for the open internet.
    pub(crate) fn new(limits: &Limits, timeouts: &Timeouts, multiplexed: &Http2Limits) -> Self {
        let head_bytes = limits.header_list_bytes.saturating_add(limits.target_bytes);
        let most_bytes = head_bytes.saturating_mul(HEADROOM).max(64 * 1024);
        let stalls = StallWatch::new(timeouts.client_write, limits.min_response_rate);
        let mut http1 = http1::Builder::new();
        http1
            .timer(TokioTimer::new())
            // `Activity` measures the phases. hyper's own timer would count idle time as head time.
            .header_read_timeout(None)
            // No `max_headers`: `Limits::headers` is hyper's default, for which it keeps places on its stack. It clears
            // any other number of them for each head.
            .max_buf_size(most_bytes)
            .half_close(false);
        let mut http2 = http2::Builder::new(stalls);
        http2
            .timer(TokioTimer::new())
            .max_concurrent_streams(multiplexed.max_concurrent_streams)
            .max_pending_accept_reset_streams(multiplexed.pending_resets)
            .max_local_error_reset_streams(multiplexed.local_error_resets)
            .initial_stream_window_size(multiplexed.stream_window_bytes)
            .initial_connection_window_size(multiplexed.connection_window_bytes)
            .max_frame_size(multiplexed.frame_bytes)
            .max_send_buf_size(multiplexed.send_buffer_bytes)
            .max_header_list_size(multiplexed.header_list_bytes)
            .keep_alive_interval(multiplexed.ping_interval)
            .keep_alive_timeout(multiplexed.ping_timeout);
        Self {
            builders: HttpBuilders { http1, http2 },
            inspector: Inspector::new(limits),
            meter: FrameMeter::new(multiplexed.frames),
            limits: PhaseLimits {
                head: timeouts.client_head,
                idle: timeouts.client_idle,
            },
            stalls,
            proxies: None,
        }
    }

    /// The same where every TCP connection comes from one of these networks and begins with a PROXY header; others are
    /// closed. There is no mode that detects the header: a client could then send one and choose its own address.
    pub(crate) fn behind(self, proxies: &[IpNet]) -> Self {
        Self {
            proxies: Some(proxies.into()),
            ..self
        }
    }

    /// Serves one connection to its end, and returns the reason of it.
    pub(super) async fn serve<S>(
        &self,
        (socket, peer, address_permit): (Socket, Peer, AddressPermit),
        service: S,
        drain: Drain,
    ) -> ConnectionEnd
    where
        S: Service<ReceivedRequest<Incoming>, Response = PlainResponse, Error = Infallible>
            + Clone
            + Send
            + Unpin
            + 'static,
        S::Future: Send + Unpin + 'static,
    {
        let activity = address_permit.activity.clone();
        let breach = Arc::<FoundBreach>::default();
        // The bytes are inspected before the HTTP engine reads them.
        let stream = InspectedIo::new(
            ClientStream::new(socket, activity.clone(), self.stalls.min_rate()),
            self.inspector.clone(),
            self.meter.clone(),
            activity.clone(),
            breach.clone(),
        );
        let service = ConnectionService {
            inner: service,
            activity: activity.clone(),
            breach: breach.clone(),
            peer,
            drain: drain.clone(),
        };
        let serving = ServedConnection {
            connection: HttpConnection::new(&self.builders, service, stream, activity.clone()),
            watch: PhaseWatch::new(&activity, self.limits),
            activity,
            breach,
            notice: self.limits.head,
            end: ConnectionEnd::Finished,
        };
        serving.run(&drain).await
    }
}

/// A connection while it is served.
struct ServedConnection<'a, S: ClientService> {
    connection: HttpConnection<'a, S>,
    activity: Arc<Activity>,
    breach: Arc<FoundBreach>,
    watch: PhaseWatch,
    /// The time that a client that received the shutdown notice has for another request.
    notice: Duration,
    /// The reason why the connection ends, unless it breaks.
    end: ConnectionEnd,
}

impl<S: ClientService> ServedConnection<'_, S> {
    /// Serves the connection until it ends by itself, or has to be dropped as it is.
    async fn run(mut self, drain: &Drain) -> ConnectionEnd {
        let mut stage = DrainStage::Serving;
        loop {
            let end = tokio::select! {
                // The connection first: the branches below see what it did.
                biased;
                ended = &mut self.connection => Some(self.ended(ended)),
                later = drain.after(stage) => {
                    stage = later;
                    self.drained(stage)
                }
                () = self.activity.room_wanted() => self.make_room(),
                due = &mut self.watch => self.due(due).await,
            };
            if let Some(end) = end {
                return end;
            }
        }
    }

    /// The reason for the end of a connection that was not dropped.
    fn ended(&self, ended: Result<(), BrokenConnection>) -> ConnectionEnd {
        let end = ended.map_or_else(
            |error| {
                tracing::debug!(error = %error, "a client connection ended early");
                ConnectionEnd::Broken
            },
            |()| self.end,
        );
        self.breach.end().unwrap_or(end)
    }

    fn drained(&mut self, stage: DrainStage) -> Option<ConnectionEnd> {
        match stage {
            DrainStage::Over => return Some(ConnectionEnd::Drain),
            _ if self.connection.is_closing => {}
            DrainStage::Dismissed => {
                self.end = ConnectionEnd::Drain;
                self.activity.dismiss();
                self.connection.close();
            }
            // HTTP/2 can send GOAWAY without losing a request that is on its way (RFC 9113 6.8).
            DrainStage::Begun if self.activity.is_multiplexed() => self.connection.close(),
            DrainStage::Serving | DrainStage::Begun => {}
        }
        None
    }

    /// Ends for another connection. A request that has arrived meanwhile gets its response.
    fn make_room(&mut self) -> Option<ConnectionEnd> {
        self.end = ConnectionEnd::MadeRoom;
        if self.activity.awaits_head() {
            return Some(self.end);
        }
        self.watch.allow_idle(Duration::ZERO);
        self.connection.close();
        None
    }

    async fn due(&mut self, due: Due) -> Option<ConnectionEnd> {
        match due {
            Due::Parking if self.connection.is_closing => None,
            Due::Parking => {
                let parked = self.connection.park().await;
                parked.err().map(|error| self.ended(Err(error)))
            }
            Due::End(_) if self.connection.is_closing => Some(self.end),
            Due::End(Phase::Idle) => {
                self.end = ConnectionEnd::Idle;
                self.watch.allow_idle(self.notice);
                self.connection.close();
                None
            }
            Due::End(_) => Some(ConnectionEnd::Silent),
        }
    }
}

/// Connects the requests of one connection to its peer, its activity and its framing breach.
#[derive(Debug, Clone)]
struct ConnectionService<S> {
    inner: S,
    activity: Arc<Activity>,
    breach: Arc<FoundBreach>,
    peer: Peer,
    drain: Drain,
}

impl<S> Service<Request<Incoming>> for ConnectionService<S>
where
    S: Service<ReceivedRequest<Incoming>, Response = PlainResponse, Error = Infallible>,
    S::Future: Unpin,
{
    type Response = Response<CountedBody>;
    type Error = Infallible;
    type Future = CountedFuture<S::Future>;

    fn call(&self, request: Request<Incoming>) -> Self::Future {
        let (mut drain, mut framing) = (None, None);
        if request.version() == Version::HTTP_2 {
            self.activity.multiplexes();
        } else {
            framing = Some(self.breach.begin());
            drain = Some(self.drain.clone());
        }
        let (head, body) = request.into_parts();
        let received = ReceivedRequest {
            head,
            body,
            peer: self.peer,
            framing,
            context: (),
        };
        CountedFuture {
            running: Some(self.activity.begin()),
            drain,
            inner: self.inner.call(received),
        }
    }
}

/// Counts the request as running until the response exists; the response body then counts it.
struct CountedFuture<F> {
    inner: F,
    running: Option<RunningRequest>,
    /// Set for HTTP/1 only, where the response announces the end by a `Connection: close` header.
    drain: Option<Drain>,
}

impl<F> Future for CountedFuture<F>
where
    F: Future<Output = Result<PlainResponse, Infallible>> + Unpin,
{
    type Output = Result<Response<CountedBody>, Infallible>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        Pin::new(&mut this.inner).poll(cx).map_ok(|mut response| {
            if this.drain.as_ref().is_some_and(Drain::has_begun) {
                let close = HeaderValue::from_static("close");
                response.headers_mut().insert(CONNECTION, close);
            }
            let running = this.running.take();
            response.map(|inner| CountedBody::new(inner, running))
        })
    }
}
