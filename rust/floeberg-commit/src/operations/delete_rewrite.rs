//! Which delete files does a user want to have written again, or removed?
//!
//! Spec: Delete Formats; Scan Planning.

use std::str::FromStr;

use floeberg_core::{Error, Result};
use serde_json::{Value as Json, json};

/// What is done with delete files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeleteRewriteKind {
    /// Files of position deletes become fewer ones, or vectors from v3 on.
    Positions,
    /// Equality deletes become position deletes, or vectors from v3 on.
    Equality,
    /// Delete files that delete no row of a live data file are removed.
    Dangling,
}

/// Delete files to write again, or to remove.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeleteRewrite {
    /// What is done with them.
    pub kind: DeleteRewriteKind,
    /// The delete files, by path. Of dangling ones all are looked for, and this is empty.
    pub paths: Vec<String>,
    /// Do equality deletes go too of which statistics prove that they delete no row?
    pub unmatched_too: bool,
}

impl DeleteRewriteKind {
    const ALL: [Self; 3] = [Self::Positions, Self::Equality, Self::Dangling];

    fn word(self) -> &'static str {
        match self {
            Self::Positions => "positions",
            Self::Equality => "equality",
            Self::Dangling => "dangling",
        }
    }
}

impl FromStr for DeleteRewriteKind {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.word() == word)
            .ok_or_else(|| Error::invalid_input(format!("expected a kind of delete files, found {word:?}")))
    }
}

impl DeleteRewrite {
    /// Its name, for messages.
    pub fn name(&self) -> &'static str {
        match self.kind {
            DeleteRewriteKind::Positions => "rewrite position delete files",
            DeleteRewriteKind::Equality => "convert equality deletes",
            DeleteRewriteKind::Dangling => "remove dangling deletes",
        }
    }

    /// As JSON.
    pub fn to_json(&self) -> Json {
        json!({ "kind": self.kind.word(), "paths": self.paths, "unmatched-too": self.unmatched_too })
    }

    /// Reads what [`DeleteRewrite::to_json`] gave. Errors: `InvalidInput`.
    pub fn from_json(json: &Json) -> Result<Self> {
        let invalid = || Error::invalid_input("expected which delete files are written again");
        let kind = json.get("kind").and_then(Json::as_str).ok_or_else(invalid)?.parse()?;
        let paths = json.get("paths").and_then(Json::as_array).ok_or_else(invalid)?;
        let path = |path: &Json| path.as_str().map(str::to_owned).ok_or_else(invalid);
        let unmatched_too = json.get("unmatched-too").and_then(Json::as_bool).unwrap_or(false);
        Ok(Self { kind, paths: paths.iter().map(path).collect::<Result<_>>()?, unmatched_too })
    }
}
