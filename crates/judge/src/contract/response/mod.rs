//! The responses of the API as data: which members a success or an error has, and of which type.
//!
//! Shapes are as loose as PHP prints them: an empty map is an empty list, an absent image is `false`, and plugins add
//! members. Each is what the recorded responses of all installations have (backend.md sections 3, 9 and 11).

mod error_models;
mod list_models;
mod post_models;
mod service_models;
mod shape;
mod term_models;

pub use error_models::{ERROR, INVALID_JSON, INVALID_PARAMETERS, MISSING_PARAMETERS, UPDATE_ERRORS};
pub use post_models::{EVENT, ORGANIZER, VENUE};
pub use service_models::ROUTE_DESCRIPTION;
pub use shape::{ResponseMember, ResponseModel, Shape};
pub use term_models::{CATEGORY, TAG};

use http::StatusCode;

use super::kind::{Kind, Route};
use super::operation::{Action, OperationId};
use list_models::{CATEGORY_LIST, EVENT_LIST, ORGANIZER_LIST, TAG_LIST, VENUE_LIST};
use service_models::{DOCUMENTATION, NAMESPACE_INDEX};

/// The models of errors that have a code of their own, each with more in its `data` than a status.
pub const DETAILED_ERRORS: [&ResponseModel; 3] = [&MISSING_PARAMETERS, &INVALID_PARAMETERS, &INVALID_JSON];

static UPDATED_BY_SLUG: [Shape; 2] = [Shape::Model(&EVENT), Shape::Model(&UPDATE_ERRORS)];

// === impl OperationId ===

impl OperationId {
    /// The status of a success (backend.md section 9).
    pub const fn success_status(self) -> StatusCode {
        match self.action {
            Action::Create => StatusCode::CREATED,
            Action::Describe | Action::List | Action::Read | Action::Update | Action::Delete => {
                StatusCode::OK
            }
        }
    }

    /// The response of a success. The response of a deletion is the record that it moved or removed.
    pub const fn success(self) -> Shape {
        let kind = match self.route {
            Route::Index => return Shape::Model(&NAMESPACE_INDEX),
            Route::Doc => return Shape::Model(&DOCUMENTATION),
            Route::Collection(kind) | Route::Item(kind) | Route::BySlug(kind) => kind,
        };
        match (self.action, self.route) {
            (Action::List, _) => Shape::Model(kind.list_model()),
            // An update of an event that does not exist succeeds with a list of errors (backend.md section 7).
            (Action::Update, Route::BySlug(Kind::Event)) => Shape::Either(&UPDATED_BY_SLUG),
            (Action::Describe | Action::Create | Action::Read | Action::Update | Action::Delete, _) => {
                Shape::Model(kind.model())
            }
        }
    }
}

// === impl Kind ===

impl Kind {
    /// The model of one record.
    pub const fn model(self) -> &'static ResponseModel {
        match self {
            Self::Event => &EVENT,
            Self::Venue => &VENUE,
            Self::Organizer => &ORGANIZER,
            Self::Category => &CATEGORY,
            Self::Tag => &TAG,
        }
    }

    /// The model of a page of records.
    pub const fn list_model(self) -> &'static ResponseModel {
        match self {
            Self::Event => &EVENT_LIST,
            Self::Venue => &VENUE_LIST,
            Self::Organizer => &ORGANIZER_LIST,
            Self::Category => &CATEGORY_LIST,
            Self::Tag => &TAG_LIST,
        }
    }
}

/// All models, each once, in the order in which the first response names it.
pub fn models() -> Vec<&'static ResponseModel> {
    let answers = super::table::table().operations().iter();
    let successes = answers.map(|operation| operation.id.success());
    let others = [&ROUTE_DESCRIPTION, &ERROR].into_iter().chain(DETAILED_ERRORS);
    let mut found = Vec::new();
    for shape in successes.chain(others.map(Shape::Model)) {
        shape.collect(&mut found);
    }
    found
}
