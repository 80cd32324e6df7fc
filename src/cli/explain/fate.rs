//! The treatment of parameters that the operation does not declare.

use calendar_edge::contract::global::{Treatment, global};
use calendar_edge::contract::{Action, Operation, obeyed};
use calendar_edge::payload::Source;
use calendar_edge::settings::Settings;

/// A description of the treatment of one undeclared parameter.
pub(super) fn fate(operation: &Operation, name: &[u8], source: Source, settings: &Settings) -> &'static str {
    if let Some(known) = global(name) {
        return global_fate(operation, known.treatment, source, settings);
    }
    if obeyed(operation.id)
        .iter()
        .any(|known| known.name.as_bytes() == name)
    {
        return "forwarded: the plugin obeys it undeclared";
    }
    let own = settings.operations.get(&operation.id);
    let extra = own.map_or(&[][..], |own| &own.extra_parameters);
    if extra.iter().any(|extra| extra.as_bytes() == name) {
        return "forwarded: listed in `extra_parameters`";
    }
    "dropped: not in the table"
}

fn global_fate(
    operation: &Operation,
    treatment: Treatment,
    source: Source,
    settings: &Settings,
) -> &'static str {
    let keeps_body = matches!(operation.id.action, Action::Create | Action::Update);
    match treatment {
        Treatment::Forward if keeps_body || source == Source::Query => {
            "forwarded where it stands: WordPress obeys it everywhere"
        }
        Treatment::Forward => "forwarded in the query, because the body is dropped",
        Treatment::ForwardInPlace if keeps_body || source == Source::Query => {
            "forwarded where it stands, for translation plugins"
        }
        Treatment::ForwardInPlace => "dropped with the body: what it means depends on its place",
        Treatment::ForwardFromQuery if source == Source::Query => {
            "forwarded in the query: WordPress obeys it everywhere"
        }
        Treatment::ForwardFromQuery => "dropped: WordPress looks for it in the query only",
        Treatment::RefuseUnlessAllowed if settings.allow_jsonp => "forwarded: `allow_jsonp` is on",
        Treatment::RefuseUnlessAllowed => "refused: `allow_jsonp` is off",
        Treatment::Nonce => "sent as X-WP-Nonce",
        Treatment::Route => "read as another spelling of the path",
        Treatment::Drop => "dropped: it would change the method",
    }
}
