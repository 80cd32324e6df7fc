//! An accepted response in the version of the plugin that clients want.

use bytes::Bytes;
use http::Method;
use http::header::ALLOW;

use super::check::{AcceptedBody, AcceptedHead, AcceptedResponse, joined};
use super::rules::RelayRules;
use calendar_edge_judge::contract::{Action, DatedDifference, Operation};
use calendar_edge_judge::translation::Translation;

/// The rows that a response met.
type Rows = Vec<&'static DatedDifference>;

/// Translates a response into the version that the settings want for its root, and names the rows that it met. A response
/// that streams meets the rows that its beginning shows.
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
            let met = met.filter(|(_, filter)| beginning.iter().any(|piece| filter.is_met_by(piece)));
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

/// The response of the wanted version in place of this one, as far as this one tells.
fn other_response(
    head: &AcceptedHead,
    pieces: &[Bytes],
    translation: &Translation,
    operation: &Operation,
) -> Option<(AcceptedHead, Bytes, &'static DatedDifference)> {
    let is_error = head.status.is_client_error() || head.status.is_server_error();
    if !is_error && !head.enveloped && !translation.refuses_successes(operation) {
        return None;
    }
    let absent = head.absent.filter(|_| is_allowed(head, operation.id.action));
    let found = translation.refusal(operation, (head.status, head.enveloped), &joined(pieces), absent)?;
    let head = AcceptedHead {
        status: found.status,
        ..head.clone()
    };
    Some((head, found.body, found.row))
}

/// Returns true if the caller may do so to some records. WordPress names in `Allow` what the caller may, also where it looks
/// at the arguments before.
fn is_allowed(head: &AcceptedHead, action: Action) -> bool {
    let fields = head.headers.get_all(ALLOW).iter();
    let mut allowed = fields
        .filter_map(|field| field.to_str().ok())
        .flat_map(|field| field.split(','));
    let method = action.methods().first().map(Method::as_str);
    !action.is_write() || allowed.any(|allowed| Some(allowed.trim()) == method)
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

    use http::{Response, StatusCode, header};
    use http_body_util::{BodyExt, Full};

    use super::*;
    use crate::relay::cors::Audience;
    use crate::relay::{
        AskedLanguage, BufferBudget, CallContext, ClientContext, Content, LearntRoots, accept, present,
    };
    use crate::settings::{OriginNamespace, Settings, WantedVersion};
    use calendar_edge_judge::contract::{PluginVersion, table};

    const LIST: &str = r#"{"events":[{"id":1,"organizer":[],"custom_fields":{"a":{"label":"A","value":"x"}}},{"id":2,"custom_fields":[]}],"total":2}"#;
    const UNKNOWN: &str = r#"{"code":"rest-event-not-found","message":"Event with ID 9 does not exist.","data":{"status":404}}"#;

    fn rules(change: impl Fn(&mut Settings)) -> RelayRules {
        let mut settings = Settings::for_origin("http://10.0.0.5/wp-json".parse().unwrap());
        settings.origin.namespace = OriginNamespace::set("tribe/events/v1");
        settings.answers = WantedVersion::Version(PluginVersion::SPECIFIED);
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
        replied(name, "/", (status, body, "GET"), rules).await
    }

    async fn replied(
        name: &str,
        target: &str,
        (status, body, allow): (u16, &str, &str),
        rules: &RelayRules,
    ) -> (StatusCode, String, Vec<&'static str>) {
        let response = Response::builder().status(status).header(ALLOW, allow);
        let response = response.header(header::CONTENT_TYPE, "application/json");
        let response = response.body(Full::new(Bytes::copy_from_slice(body.as_bytes())));
        let call = CallContext {
            root: 0,
            operation: table().named(name),
            method: Method::GET,
            content: Content::Records,
            may_be_script: false,
            enveloped: false,
            language: AskedLanguage::OfRoot,
            target: target.into(),
        };
        let client = ClientContext {
            public_base: Arc::from("https://events.example.org"),
            namespace: None,
            audience: Audience::Everybody,
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
    async fn a_number_that_no_event_can_have_is_refused_as_by_the_wanted_version() {
        let newer = rules(|settings| settings.answers = WantedVersion::Version(PluginVersion::NEWEST));
        let invalid = |params: &str| {
            format!(
                r#"{{"code":"rest_invalid_param","message":"Invalid parameter(s)","data":{{"status":400,"params":{{{params}}},"details":[]}}}}"#
            )
        };
        let (one, both) = (invalid(r#""id":"x""#), invalid(r#""id":"x","title":"x""#));
        for (name, target, body, allow, expected) in [
            ("events.read", "/events/00?x=1", &one, "GET", Some("0")),
            (
                "events.read",
                "/events/9223372036854775808",
                &one,
                "GET",
                Some("9223372036854775807"),
            ),
            ("events.read", "/events/7", &one, "GET", None),
            ("events.read", "/events/0", &both, "GET", None),
            ("events.delete", "/events/0", &one, "GET, DELETE, POST", Some("0")),
            ("events.delete", "/events/0", &one, "GET", None),
            ("events.update", "/events/0", &one, "", None),
            ("venues.read", "/venues/0", &one, "GET", None),
        ] {
            let (status, found, met) = replied(name, target, (400, body, allow), &newer).await;
            let refused = expected.map(|number| {
                format!(r#"{{"code":"rest-event-not-found","message":"Event with ID {number} does not exist.","data":{{"status":404}}}}"#)
            });
            assert_eq!(
                found,
                refused.unwrap_or_else(|| body.clone()),
                "{name} {target} {allow}"
            );
            let expected = expected.map_or((400, 0), |_| (404, 1));
            assert_eq!((status.as_u16(), met.len()), expected, "{name} {target}");
        }
    }

    #[tokio::test]
    async fn an_event_in_the_trash_is_shown_by_older_versions_alone() {
        let newer = rules(|settings| settings.answers = WantedVersion::Version(PluginVersion::NEWEST));
        for (status, expected) in [("trash", 403), ("publish", 200)] {
            let event = format!(r#"{{"id":7,"title":"trash","status":"{status}"}}"#);
            let (found, body, _) = answered("events.by-slug.read", (200, &event), &newer).await;
            assert_eq!(found.as_u16(), expected);
            assert_eq!(
                body.contains("event-no-longer-available"),
                expected == 403,
                "{body}"
            );
            // Whoever deletes one is shown what it became.
            let (found, ..) = answered("events.delete", (200, &event), &newer).await;
            assert_eq!(found.as_u16(), 200);
        }
    }

    #[tokio::test]
    async fn without_a_wanted_version_responses_stay() {
        let as_the_site = rules(|settings| settings.answers = WantedVersion::AsTheSite);
        let root_alone = rules(|settings| settings.roots[0].answers = Some(WantedVersion::AsTheSite));
        for rules in [as_the_site, root_alone] {
            let (_, body, met) = answered("events.list", (200, LIST), &rules).await;
            assert_eq!((body.as_str(), met.len()), (LIST, 0));
        }
    }
}
