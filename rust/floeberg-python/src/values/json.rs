//! How does JSON text of Python become JSON?

use floeberg_core::{Error, Result};
use serde_json::Value as Json;

/// The JSON of a text; null without one. `what` names it in errors.
pub fn json(what: &str, text: Option<&str>) -> Result<Json> {
    text.map_or(Ok(Json::Null), |text| {
        serde_json::from_str(text).map_err(|failure| {
            Error::invalid_input(format!("the {what} is not valid JSON")).caused_by(failure)
        })
    })
}
