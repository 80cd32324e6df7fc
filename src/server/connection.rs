//! One connection: protocol limits, keep-alive clock, drain.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http::header::CONNECTION;
use http::{HeaderValue, Request, Response, Version};
use hyper::body::Incoming;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use pin_project_lite::pin_project;
use tower::Service;

use super::accept::ProxyHeaderPolicy;
use super::activity::{Activity, Phase, PhaseLimits, RunningRequest};
use super::drain::Drain;
use super::framing::FoundBreach;
use super::h2_stalls::StallWatch;
use super::inspected_io::{InspectedIo, InspectionRules};
use super::min_rate::MinRate;
use super::peer::Peer;
use super::response_body::CountedBody;
use super::stream::{ClientStream, Socket};
use crate::framing::{FrameMeter, Inspector};
use crate::response::EdgeResponse;
use crate::settings::{Http2Limits, Limits, Timeouts};

/// How far above the configured limits hyper refuses a head of HTTP/1 by itself, which it does without a body.
///
/// The inspector refuses at the limits; a respelt target may have grown since.
const HEADROOM: usize = 4;

/// How connections of one listener speak HTTP.
#[derive(Debug, Clone)]
pub(crate) struct Protocol {
    builder: auto::Builder<StallWatch>,
    rules: InspectionRules,
    limits: PhaseLimits,
    /// How long a client may let an answer wait, and how many bytes earn it a second.
    write: (Duration, u64),
    proxy_header_policy: ProxyHeaderPolicy,
}

impl Protocol {
    /// Sets every limit explicitly: library defaults may change, and are not made for the open internet.
    pub(crate) fn new(limits: &Limits, timeouts: &Timeouts, http2: &Http2Limits) -> Self {
        let head_bytes = limits.header_list_bytes.saturating_add(limits.target_bytes);
        let most_bytes = head_bytes.saturating_mul(HEADROOM).max(64 * 1024);
        let mut builder =
            auto::Builder::new(StallWatch::new(timeouts.client_write, limits.min_response_rate));
        builder
            .http1()
            .timer(TokioTimer::new())
            // The phases of `Activity` are the clock: hyper's own would count idle time as head time.
            .header_read_timeout(None)
            .max_headers(limits.headers.saturating_mul(HEADROOM))
            .max_buf_size(most_bytes)
            .half_close(false);
        builder
            .http2()
            .timer(TokioTimer::new())
            .max_concurrent_streams(http2.max_concurrent_streams)
            .max_pending_accept_reset_streams(http2.pending_resets)
            .max_local_error_reset_streams(http2.local_error_resets)
            .initial_stream_window_size(http2.stream_window_bytes)
            .initial_connection_window_size(http2.connection_window_bytes)
            .max_frame_size(http2.frame_bytes)
            .max_send_buf_size(http2.send_buffer_bytes)
            .max_header_list_size(http2.header_list_bytes)
            .keep_alive_interval(http2.ping_interval)
            .keep_alive_timeout(http2.ping_timeout);
        Self {
            builder,
            rules: InspectionRules {
                inspector: Inspector::new(limits),
                meter: FrameMeter::new(&http2.frames),
            },
            limits: PhaseLimits {
                head: timeouts.client_head,
                idle: timeouts.client_idle,
            },
            write: (timeouts.client_write, limits.min_response_rate),
            proxy_header_policy: ProxyHeaderPolicy::Never,
        }
    }

    /// The same where clients are proxy_header like this.
    pub(crate) fn proxy_header(self, proxy_header_policy: ProxyHeaderPolicy) -> Self {
        Self {
            proxy_header_policy,
            ..self
        }
    }

    /// Whether clients are proxy_header.
    pub(super) const fn proxy_header_policy(&self) -> &ProxyHeaderPolicy {
        &self.proxy_header_policy
    }

    /// How long a client may take before HTTP begins.
    pub(super) const fn min_rate(&self) -> Duration {
        self.limits.head
    }

    /// Serves one connection to its end.
    pub(super) async fn serve<S>(&self, socket: Socket, peer: Peer, service: S, drain: Drain)
    where
        S: Service<Request<Incoming>, Response = EdgeResponse, Error = Infallible> + Clone + Send + 'static,
        S::Future: Send + 'static,
    {
        let activity = Activity::new();
        let breach = FoundBreach::default();
        let (longest, pace) = self.write;
        let min_rate = MinRate::new(longest, longest, pace);
        let stream = InspectedIo::new(
            ClientStream::new(socket, activity.clone(), min_rate),
            self.rules.clone(),
            activity.clone(),
            breach.clone(),
        );
        let service = ConnectionService {
            inner: service,
            activity: activity.clone(),
            breach,
            peer,
            drain: drain.clone(),
        };
        let connection = self.builder.serve_connection(TokioIo::new(stream), service);
        tokio::pin!(connection);
        let mut limits = self.limits;
        let (mut told, mut closing) = (false, false);
        loop {
            tokio::select! {
                ended = connection.as_mut() => {
                    if let Err(error) = ended {
                        tracing::debug!(error = %error, "a client connection ended early");
                    }
                    return;
                }
                () = drain.begun(), if !told => {
                    told = true;
                    // HTTP/2 can say goodbye without losing a request that is on its way (RFC 9113 6.8).
                    if activity.is_multiplexed() && !closing {
                        closing = true;
                        connection.as_mut().graceful_shutdown();
                    }
                }
                () = drain.dismissed(), if !closing => {
                    closing = true;
                    connection.as_mut().graceful_shutdown();
                }
                phase = activity.overstayed(limits) => {
                    if closing || phase != Phase::Idle {
                        return;
                    }
                    closing = true;
                    // A client that was told to go gets one short phase more.
                    limits.idle = limits.head;
                    connection.as_mut().graceful_shutdown();
                }
                () = drain.over() => return,
            }
        }
    }
}

/// Ties the requests of one connection to its peer and its activity.
#[derive(Debug, Clone)]
struct ConnectionService<S> {
    inner: S,
    activity: Activity,
    breach: FoundBreach,
    peer: Peer,
    drain: Drain,
}

impl<S> hyper::service::Service<Request<Incoming>> for ConnectionService<S>
where
    S: Service<Request<Incoming>, Response = EdgeResponse, Error = Infallible> + Clone,
{
    type Response = Response<CountedBody>;
    type Error = Infallible;
    type Future = AnswerFuture<tower::util::Oneshot<S, Request<Incoming>>>;

    fn call(&self, mut request: Request<Incoming>) -> Self::Future {
        let mut farewell = None;
        if request.version() == Version::HTTP_2 {
            self.activity.multiplexes();
        } else {
            request.extensions_mut().insert(self.breach.begin());
            farewell = Some(self.drain.clone());
        }
        request.extensions_mut().insert(self.peer);
        AnswerFuture {
            running: Some(self.activity.begin()),
            farewell,
            inner: tower::ServiceExt::oneshot(self.inner.clone(), request),
        }
    }
}

pin_project! {
    /// Holds the request as running until there is an answer, whose body then holds it.
    struct AnswerFuture<F> {
        #[pin]
        inner: F,
        running: Option<RunningRequest>,
        // HTTP/1 only: its end is proxy_header by a header.
        farewell: Option<Drain>,
    }
}

impl<F> Future for AnswerFuture<F>
where
    F: Future<Output = Result<EdgeResponse, Infallible>>,
{
    type Output = Result<Response<CountedBody>, Infallible>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        this.inner.poll(cx).map_ok(|mut answer| {
            if this.farewell.as_ref().is_some_and(Drain::has_begun) {
                let close = HeaderValue::from_static("close");
                answer.headers_mut().insert(CONNECTION, close);
            }
            let running = this.running.take();
            answer.map(|inner| CountedBody::new(inner, running))
        })
    }
}
