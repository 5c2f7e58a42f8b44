//! Which operation is a transaction?
//!
//! In: the number of the operation and its message. Out: the operation, and back.
//! Spec: Lance, `transaction.proto`, `Transaction.operation`.

use floeberg_core::Result;

use super::encoder::Encoder;
use super::row_operations::{Append, DataReplacement, Delete, Overwrite, Rewrite, Update};
use super::structure::parse;
use super::table_operations::{
    Clone, CreateIndex, Merge, Project, ReserveFragments, Restore, UpdateBases, UpdateConfig,
};

/// What a transaction does.
#[derive(Debug, std::clone::Clone, Default, PartialEq, Eq)]
pub enum Operation {
    /// Nothing is said.
    #[default]
    Missing,
    /// See [`Append`].
    Append(Append),
    /// See [`Delete`].
    Delete(Delete),
    /// See [`Overwrite`].
    Overwrite(Overwrite),
    /// See [`CreateIndex`].
    CreateIndex(CreateIndex),
    /// See [`Rewrite`].
    Rewrite(Rewrite),
    /// See [`Merge`].
    Merge(Merge),
    /// See [`Restore`].
    Restore(Restore),
    /// See [`ReserveFragments`].
    ReserveFragments(ReserveFragments),
    /// See [`Update`].
    Update(Update),
    /// See [`Project`].
    Project(Project),
    /// See [`UpdateConfig`].
    UpdateConfig(UpdateConfig),
    /// See [`DataReplacement`].
    DataReplacement(DataReplacement),
    /// See [`Clone`].
    Clone(Clone),
    /// See [`UpdateBases`].
    UpdateBases(UpdateBases),
    /// Progress of a log in memory, which nobody here has: its message.
    UpdateMemWalState(Vec<u8>),
    /// Files that replace single values: its message.
    DataOverlay(Vec<u8>),
    /// One that this version does not know: its number and its message.
    Unknown(u32, Vec<u8>),
}

impl Operation {
    /// Reads an operation. Errors: `InvalidData`.
    pub(super) fn parse(tag: u32, message: &[u8]) -> Result<Self> {
        Ok(match tag {
            100 => Self::Append(parse(message)?),
            101 => Self::Delete(parse(message)?),
            102 => Self::Overwrite(parse(message)?),
            103 => Self::CreateIndex(parse(message)?),
            104 => Self::Rewrite(parse(message)?),
            105 => Self::Merge(parse(message)?),
            106 => Self::Restore(parse(message)?),
            107 => Self::ReserveFragments(parse(message)?),
            108 => Self::Update(parse(message)?),
            109 => Self::Project(parse(message)?),
            110 => Self::UpdateConfig(parse(message)?),
            111 => Self::DataReplacement(parse(message)?),
            113 => Self::Clone(parse(message)?),
            114 => Self::UpdateBases(parse(message)?),
            112 => Self::UpdateMemWalState(message.to_vec()),
            115 => Self::DataOverlay(message.to_vec()),
            other => Self::Unknown(other, message.to_vec()),
        })
    }

    /// Its name in the format's own words.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Missing => "none",
            Self::Append(_) => "Append",
            Self::Delete(_) => "Delete",
            Self::Overwrite(_) => "Overwrite",
            Self::CreateIndex(_) => "CreateIndex",
            Self::Rewrite(_) => "Rewrite",
            Self::Merge(_) => "Merge",
            Self::Restore(_) => "Restore",
            Self::ReserveFragments(_) => "ReserveFragments",
            Self::Update(_) => "Update",
            Self::Project(_) => "Project",
            Self::UpdateConfig(_) => "UpdateConfig",
            Self::DataReplacement(_) => "DataReplacement",
            Self::Clone(_) => "Clone",
            Self::UpdateBases(_) => "UpdateBases",
            Self::UpdateMemWalState(_) => "UpdateMemWalState",
            Self::DataOverlay(_) => "DataOverlay",
            Self::Unknown(..) => "unknown",
        }
    }

    pub(super) fn write(&self, out: &mut Encoder) {
        match self {
            Self::Missing => {}
            Self::Append(operation) => out.message(100, operation),
            Self::Delete(operation) => out.message(101, operation),
            Self::Overwrite(operation) => out.message(102, operation),
            Self::CreateIndex(operation) => out.message(103, operation),
            Self::Rewrite(operation) => out.message(104, operation),
            Self::Merge(operation) => out.message(105, operation),
            Self::Restore(operation) => out.message(106, operation),
            Self::ReserveFragments(operation) => out.message(107, operation),
            Self::Update(operation) => out.message(108, operation),
            Self::Project(operation) => out.message(109, operation),
            Self::UpdateConfig(operation) => out.message(110, operation),
            Self::DataReplacement(operation) => out.message(111, operation),
            Self::Clone(operation) => out.message(113, operation),
            Self::UpdateBases(operation) => out.message(114, operation),
            Self::UpdateMemWalState(message) => out.some_bytes(112, Some(message)),
            Self::DataOverlay(message) => out.some_bytes(115, Some(message)),
            Self::Unknown(tag, message) => out.some_bytes(*tag, Some(message)),
        }
    }
}
