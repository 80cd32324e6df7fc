//! The error types of `Proxy-Status` that the edge uses (RFC 9209 section 2.3).

use std::fmt;

/// The reason why the edge itself responded, as `Proxy-Status` names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProxyError {
    /// The origin did not accept the connection in time.
    ConnectionTimeout,
    /// The limit of connections to the origin is reached.
    ConnectionLimitReached,
    /// The origin refused the connection.
    ConnectionRefused,
    /// The origin's name does not resolve.
    DnsError,
    /// The origin is considered down.
    DestinationUnavailable,
    /// TLS with the origin failed.
    TlsProtocolError,
    /// The client's request is refused.
    HttpRequestError,
    /// The origin's response ended early.
    HttpResponseIncomplete,
    /// The header section of the origin's response is too large.
    HttpResponseHeaderSectionSize,
    /// The body of the origin's response is too large.
    HttpResponseBodySize,
    /// The content coding of the origin's response cannot be read.
    HttpResponseContentCoding,
    /// The origin did not respond in time.
    HttpResponseTimeout,
    /// The origin's response is not HTTP.
    HttpProtocolError,
    /// The edge responds in place of the origin.
    ProxyInternalResponse,
    /// The edge itself failed.
    ProxyInternalError,
}

impl ProxyError {
    /// The token of the `error` parameter.
    pub const fn token(self) -> &'static str {
        match self {
            Self::ConnectionTimeout => "connection_timeout",
            Self::ConnectionLimitReached => "connection_limit_reached",
            Self::ConnectionRefused => "connection_refused",
            Self::DnsError => "dns_error",
            Self::DestinationUnavailable => "destination_unavailable",
            Self::TlsProtocolError => "tls_protocol_error",
            Self::HttpRequestError => "http_request_error",
            Self::HttpResponseIncomplete => "http_response_incomplete",
            Self::HttpResponseHeaderSectionSize => "http_response_header_section_size",
            Self::HttpResponseBodySize => "http_response_body_size",
            Self::HttpResponseContentCoding => "http_response_content_coding",
            Self::HttpResponseTimeout => "http_response_timeout",
            Self::HttpProtocolError => "http_protocol_error",
            Self::ProxyInternalResponse => "proxy_internal_response",
            Self::ProxyInternalError => "proxy_internal_error",
        }
    }
}

impl fmt::Display for ProxyError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.token())
    }
}
