//! Possible differences between a published index and the table, each as a sentence for an operator.

use http::Method;
use thiserror::Error;

/// One difference between a published index and the table.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Drift {
    /// The document is not an index of the requested namespace.
    #[error("the response is no index of {expected}: its namespace is {}", found.as_deref().unwrap_or("missing"))]
    NotThisNamespace {
        /// The requested namespace.
        expected: String,
        /// The namespace in the document.
        found: Option<String>,
    },
    /// A route of the table is not published.
    #[error("the origin does not publish {route}")]
    RouteMissing {
        /// The route as a template; `/` is the index.
        route: String,
    },
    /// A route is published that the table does not have; the edge responds to it with 404.
    #[error("the origin publishes {path}, which the edge does not have")]
    RouteExtra {
        /// The route as the origin spells it, below the namespace.
        path: String,
    },
    /// A method of the table is not published on its route.
    #[error("the origin does not publish {method} {route}")]
    MethodMissing {
        /// The route as a template.
        route: String,
        /// The missing method.
        method: Method,
    },
    /// A method is published that the table does not have; the edge responds to it with 404.
    #[error("the origin publishes {method} {route}, which the edge does not have")]
    MethodExtra {
        /// The route as a template.
        route: String,
        /// The method as published.
        method: String,
    },
    /// An argument of the table is not published.
    #[error("{operation}: the origin does not publish the argument {argument}")]
    ArgumentMissing {
        /// The operation's name.
        operation: String,
        /// The argument's name.
        argument: String,
    },
    /// An argument is published that the table does not have; the edge drops it.
    #[error("{operation}: the origin publishes the argument {argument}, which the edge drops")]
    ArgumentExtra {
        /// The operation's name.
        operation: String,
        /// The argument's name.
        argument: String,
    },
    /// An argument is required on one side only.
    #[error("{operation}: {argument} is {} at the origin", if *.specified { "required here and optional" } else { "optional here and required" })]
    RequiredDiffers {
        /// The operation's name.
        operation: String,
        /// The argument's name.
        argument: String,
        /// True if the table requires it.
        specified: bool,
    },
}
