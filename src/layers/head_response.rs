//! Removes the body from responses to HEAD and keeps the headers.

use http::Method;

use super::around::AroundRequest;
use super::arrived_request::ArrivedRequest;
use super::response::EdgeResponse;
use crate::server::response::EdgeBody;

/// Removes the body from responses to HEAD; hyper does so for HTTP/1 only.
#[derive(Debug, Clone, Copy)]
pub(super) struct HeadResponse;

impl AroundRequest for HeadResponse {
    /// True if the response has no body.
    type Facts = bool;

    fn request<B>(&self, request: &mut ArrivedRequest<B>) -> bool {
        request.head.method == Method::HEAD
    }

    fn response(is_bodiless: &mut bool, answer: &mut EdgeResponse) {
        if *is_bodiless {
            *answer.body_mut() = EdgeBody::default();
        }
    }
}
