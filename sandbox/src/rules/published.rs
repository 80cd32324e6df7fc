//! The parameters of each operation as the recorded site registers them, with their types and callbacks.

use std::sync::LazyLock;

use serde_json::Value as Json;

use crate::index;
use calendar_edge_judge::contract::{Kind, OperationId, Schema, Taxonomy};

/// What `WP_REST_Server::get_routes()` returned on the recorded site.
const RECORDED: &str = include_str!("../../../fixtures/contract/args.json");

static OPERATIONS: LazyLock<Vec<PublishedOperation>> = LazyLock::new(|| {
    let recorded: Json = serde_json::from_str(RECORDED).expect("the recorded routes are JSON");
    let operations = recorded.as_array().into_iter().flatten();
    operations.map(PublishedOperation::of).collect()
});

/// One method of one route.
#[derive(Debug)]
struct PublishedOperation {
    route: String,
    methods: Vec<String>,
    parameters: Vec<PublishedParameter>,
}

/// A parameter with everything that WordPress checks about it.
#[derive(Debug)]
pub(super) struct PublishedParameter {
    /// The name.
    pub(super) name: String,
    /// Whether it must be sent.
    pub(super) is_required: bool,
    /// The type that WordPress enforces; a sanitize callback of the plugin's own turns this off.
    pub(super) schema: Option<Schema>,
    /// The plugin's validate callback.
    pub(super) callback: Option<Callback>,
}

/// A validate callback of the plugin.
#[derive(Debug, Clone, Copy)]
pub(super) enum Callback {
    PositiveInt,
    PositiveIntList,
    NonEmptyText,
    TextOrEmpty,
    Time,
    TimezoneOrEmpty,
    UrlOrEmpty,
    Image,
    ImageOrEmpty,
    User,
    EventId,
    VenueId,
    OrganizerId,
    VenueIdList,
    OrganizerIdList,
    PostSlug(Kind),
    Terms(Taxonomy),
    PostStatus,
    StatusFilter,
    Ticketed,
    EntryOrEmpty(Kind),
}

/// The parameters of an operation, in the order of their registration.
pub(super) fn parameters(id: OperationId) -> &'static [PublishedParameter] {
    let route = match index::path_pattern(id.route) {
        path if path.is_empty() => "/".to_owned(),
        path => path,
    };
    let is_named = |method: &String| id.action.methods().iter().any(|known| known == method.as_str());
    let found = OPERATIONS
        .iter()
        .find(|operation| operation.route == route && operation.methods.iter().any(is_named));
    found
        .map(|operation| operation.parameters.as_slice())
        .unwrap_or_default()
}

// === impl PublishedOperation ===

impl PublishedOperation {
    fn of(recorded: &Json) -> Self {
        let methods = recorded["methods"].as_array().into_iter().flatten();
        let parameters = recorded["args"].as_object().into_iter().flatten();
        Self {
            route: recorded["route"].as_str().unwrap_or_default().to_owned(),
            methods: methods.filter_map(Json::as_str).map(str::to_owned).collect(),
            parameters: parameters.map(PublishedParameter::of).collect(),
        }
    }
}

// === impl PublishedParameter ===

impl PublishedParameter {
    fn of((name, recorded): (&String, &Json)) -> Self {
        let is_by_type = recorded["sanitize"] == "(by type)";
        Self {
            name: name.clone(),
            is_required: recorded["required"] == true,
            schema: recorded["type"].as_str().filter(|_| is_by_type).and_then(schema),
            callback: recorded["validate"].as_str().and_then(Callback::named),
        }
    }
}

fn schema(name: &str) -> Option<Schema> {
    [Schema::String, Schema::Integer, Schema::Boolean]
        .into_iter()
        .find(|schema| schema.name() == name)
}

// === impl Callback ===

impl Callback {
    /// The callback of a PHP method's name.
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "is_positive_int" => Self::PositiveInt,
            "is_positive_int_list" => Self::PositiveIntList,
            "is_string" => Self::NonEmptyText,
            "is_string_or_empty" => Self::TextOrEmpty,
            "is_time" => Self::Time,
            "is_timezone_or_empty" => Self::TimezoneOrEmpty,
            "is_url_or_empty" => Self::UrlOrEmpty,
            "is_image" => Self::Image,
            "is_image_or_empty" => Self::ImageOrEmpty,
            "is_user_id" => Self::User,
            "is_event_id" => Self::EventId,
            "is_venue_id" => Self::VenueId,
            "is_organizer_id" => Self::OrganizerId,
            "is_venue_id_list" => Self::VenueIdList,
            "is_organizer_id_list" => Self::OrganizerIdList,
            "is_event_slug" => Self::PostSlug(Kind::Event),
            "is_venue_slug" => Self::PostSlug(Kind::Venue),
            "is_organizer_slug" => Self::PostSlug(Kind::Organizer),
            "is_event_category" => Self::Terms(Taxonomy::Category),
            "is_post_tag" => Self::Terms(Taxonomy::Tag),
            "is_post_status" => Self::PostStatus,
            "filter_post_status_list" => Self::StatusFilter,
            "supports_ticketed" => Self::Ticketed,
            "is_venue_id_or_entry_or_empty" => Self::EntryOrEmpty(Kind::Venue),
            "is_organizer_id_or_entry_or_empty" => Self::EntryOrEmpty(Kind::Organizer),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use calendar_edge_judge::contract::table;

    #[test]
    fn every_operation_and_every_callback_is_known() {
        for operation in table().operations() {
            let names: Vec<&str> = parameters(operation.id)
                .iter()
                .map(|parameter| parameter.name.as_str())
                .collect();
            let expected: Vec<&str> = operation.arguments.iter().map(|argument| argument.name).collect();
            assert_eq!(names, expected, "{}", operation.name);
        }
        let recorded: Json = serde_json::from_str(RECORDED).expect("JSON");
        for operation in recorded.as_array().expect("a list") {
            for (name, parameter) in operation["args"].as_object().into_iter().flatten() {
                let callback = parameter["validate"].as_str();
                let is_known = callback.is_none_or(|callback| Callback::named(callback).is_some());
                assert!(is_known, "{name} {callback:?}");
                let kind = parameter["type"].as_str();
                assert!(kind.is_none_or(|kind| schema(kind).is_some()), "{name} {kind:?}");
            }
        }
    }
}
