//! An accepted response in the version of the plugin that clients want.

use bytes::Bytes;

use super::check::{AcceptedBody, AcceptedHead, AcceptedResponse, joined};
use super::rules::RelayRules;
use calendar_edge_judge::contract::{DatedDifference, Operation};
use calendar_edge_judge::translation::Translation;

/// The rows that applied to a response.
type Rows = Vec<&'static DatedDifference>;

/// Translates a response into the version that the settings want for its root, and names the rows that applied. To a
/// response that streams, the rows apply that its beginning shows.
pub fn translate<B>(response: AcceptedResponse<B>, rules: &RelayRules) -> (AcceptedResponse<B>, Rows) {
    let (head, body) = response.into_parts();
    let wanted = rules.translation(head.root).zip(head.operation);
    let Some((translation, operation)) = wanted else {
        return (AcceptedResponse::new(head, body), Rows::new());
    };
    let (head, body, rows) = match body {
        AcceptedBody::Absent => (head, AcceptedBody::Absent, Rows::new()),
        AcceptedBody::Whole(pieces) => {
            if let Some((head, body, row)) = other_response(&head, &pieces, translation, operation) {
                (head.into(), AcceptedBody::Whole(vec![body]), vec![row])
            } else {
                let (pieces, rows) = without_members(pieces, translation, operation);
                (head, AcceptedBody::Whole(pieces), rows)
            }
        }
        AcceptedBody::Partial {
            beginning,
            rest,
            limit,
            ..
        } => {
            let (filters, rows): (Vec<_>, Rows) = translation.members(operation).unzip();
            let met = rows.into_iter().zip(&filters);
            let met = met.filter(|(_, filter)| beginning.iter().any(|piece| filter.is_named_in(piece)));
            let met = met.map(|(row, _)| row).collect();
            let body = AcceptedBody::Partial {
                beginning,
                rest,
                limit,
                filters,
            };
            (head, body, met)
        }
    };
    (AcceptedResponse::new(head, body), rows)
}

/// The response of the wanted version in place of this one, as far as this one shows it.
fn other_response(
    head: &AcceptedHead,
    pieces: &[Bytes],
    translation: &Translation,
    operation: &Operation,
) -> Option<(AcceptedHead, Bytes, &'static DatedDifference)> {
    let is_error = head.status.is_client_error() || head.status.is_server_error();
    if !is_error && !head.enveloped {
        return None;
    }
    let found = translation.refusal(operation, (head.status, head.enveloped), &joined(pieces))?;
    let head = AcceptedHead {
        status: found.status,
        ..head.clone()
    };
    Some((head, found.body, found.row))
}

/// A document without the members that the wanted version does not have.
fn without_members(
    pieces: Vec<Bytes>,
    translation: &Translation,
    operation: &Operation,
) -> (Vec<Bytes>, Rows) {
    let mut members = translation.members(operation).peekable();
    if members.peek().is_none() {
        return (pieces, Rows::new());
    }
    let mut document = joined(&pieces);
    let mut rows = Rows::new();
    for (filter, row) in members {
        if let Some(filtered) = filter.whole(&document) {
            document = filtered;
            rows.push(row);
        }
    }
    if rows.is_empty() {
        return (pieces, rows);
    }
    (vec![document], rows)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use http::{Method, Response, StatusCode, header};
    use http_body_util::{BodyExt, Full};

    use super::*;
    use crate::relay::cors::Audience;
    use crate::relay::{BufferBudget, CallContext, ClientContext, Content, LearntRoots, accept, present};
    use crate::settings::{OriginNamespace, Settings};
    use calendar_edge_judge::contract::{PluginVersion, table};

    const LIST: &str = r#"{"events":[{"id":1,"organizer":[],"custom_fields":{"a":{"label":"A","value":"x"}}},{"id":2,"custom_fields":[]}],"total":2}"#;
    const UNKNOWN: &str = r#"{"code":"rest-event-not-found","message":"Event with ID 9 does not exist.","data":{"status":404}}"#;

    fn rules(change: impl Fn(&mut Settings)) -> RelayRules {
        let mut settings = Settings::for_origin("http://10.0.0.5/wp-json".parse().unwrap());
        settings.origin.namespace = OriginNamespace::set("tribe/events/v1");
        settings.answers = Some(PluginVersion::SPECIFIED);
        change(&mut settings);
        let site = settings.site();
        let budget = BufferBudget::new(site.response_buffer_total);
        RelayRules::new(&site, &LearntRoots::default(), &budget)
    }

    /// Status, body and rows of the response to a call, as a client sees them.
    async fn answered(
        name: &str,
        (status, body): (u16, &str),
        rules: &RelayRules,
    ) -> (StatusCode, String, Vec<&'static str>) {
        let response = Response::builder().status(status);
        let response = response.header(header::CONTENT_TYPE, "application/json");
        let response = response.body(Full::new(Bytes::copy_from_slice(body.as_bytes())));
        let call = CallContext {
            root: 0,
            operation: table().named(name),
            method: Method::GET,
            content: Content::Records,
            may_be_script: false,
            enveloped: false,
            may_change_language: false,
            target: "/".into(),
        };
        let client = ClientContext {
            public_base: Arc::from("https://events.example.org"),
            namespace: None,
            audience: Audience::Public,
        };
        let accepted = accept(response.unwrap(), &call, rules).await.unwrap();
        let (accepted, rows) = translate(accepted, rules);
        let response = present(accepted, &client, rules);
        let status = response.status();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        let rows = rows.iter().map(|row| row.name).collect();
        (status, String::from_utf8(body.to_vec()).unwrap(), rows)
    }

    #[tokio::test]
    async fn a_response_is_that_of_the_wanted_version_whole_or_streamed() {
        let expected = r#"{"events":[{"id":1,"organizer":[]},{"id":2}],"total":2}"#;
        for buffer in [1 << 20, 60] {
            let rules = rules(|settings| settings.limits.response_buffer_bytes = buffer);
            let (status, body, rows) = answered("events.list", (200, LIST), &rules).await;
            assert_eq!((status.as_u16(), body.as_str()), (200, expected), "{buffer}");
            assert_eq!(rows, ["custom_fields"], "{buffer}");
        }
    }

    #[tokio::test]
    async fn a_refusal_is_that_of_the_wanted_version() {
        let (status, body, met) = answered("events.read", (404, UNKNOWN), &rules(|_| {})).await;
        assert_eq!((status.as_u16(), met), (400, vec!["event_unknown"]));
        assert!(body.starts_with(r#"{"code":"rest_invalid_param","message":"Invalid parameter(s): id""#));
        let (status, body, met) = answered("venues.read", (404, UNKNOWN), &rules(|_| {})).await;
        assert_eq!((status.as_u16(), body.as_str(), met.len()), (404, UNKNOWN, 0));
    }

    #[tokio::test]
    async fn without_a_wanted_version_responses_stay() {
        let as_the_site = rules(|settings| settings.answers = None);
        let (_, body, met) = answered("events.list", (200, LIST), &as_the_site).await;
        assert_eq!((body.as_str(), met.len()), (LIST, 0));
    }
}
