//! Which operation is a transaction?
//!
//! In: the number of the operation and its message. Out: the operation, and back.
//! Spec: Lance, `transaction.proto`, `Transaction.operation`.

use floeberg_core::Result;
use floeberg_protobuf::{Encoder, Field, Record, Single};

use super::row_operations::{Append, DataReplacement, Delete, Overwrite, Rewrite, Update};
use super::table_operations::{
    Clone, CreateIndex, Merge, Project, ReserveFragments, Restore, UpdateBases, UpdateConfig,
};

/// The operations, with their messages and numbers, in one line each.
macro_rules! operations {
    ($($(#[$about:meta])* $name:ident($message:ty) = $number:literal,)+) => {
        /// What a transaction does.
        #[derive(Debug, std::clone::Clone, Default, PartialEq, Eq)]
        pub enum Operation {
            /// Nothing is said.
            #[default]
            Missing,
            $($(#[$about])* $name($message),)+
            /// One that this version does not know: its number and its message.
            Unknown(u32, Vec<u8>),
        }

        impl Operation {
            /// Its name in the format's own words.
            pub fn name(&self) -> &'static str {
                match self {
                    Self::Missing => "none",
                    $(Self::$name(_) => stringify!($name),)+
                    Self::Unknown(..) => "unknown",
                }
            }
        }

        impl Field for Operation {
            fn read(&mut self, record: &Record<'_>) -> Result<()> {
                *self = match record.number {
                    $($number => Self::$name(Single::of(record.value)?),)+
                    other => Self::Unknown(other, record.value.bytes()?.to_vec()),
                };
                Ok(())
            }

            fn write(&self, _: u32, out: &mut Encoder) {
                match self {
                    Self::Missing => {}
                    $(Self::$name(message) => message.put($number, out),)+
                    Self::Unknown(number, message) => message.put(*number, out),
                }
            }
        }
    };
}

operations! {
    /// See [`Append`].
    Append(Append) = 100,
    /// See [`Delete`].
    Delete(Delete) = 101,
    /// See [`Overwrite`].
    Overwrite(Overwrite) = 102,
    /// See [`CreateIndex`].
    CreateIndex(CreateIndex) = 103,
    /// See [`Rewrite`].
    Rewrite(Rewrite) = 104,
    /// See [`Merge`].
    Merge(Merge) = 105,
    /// See [`Restore`].
    Restore(Restore) = 106,
    /// See [`ReserveFragments`].
    ReserveFragments(ReserveFragments) = 107,
    /// See [`Update`].
    Update(Update) = 108,
    /// See [`Project`].
    Project(Project) = 109,
    /// See [`UpdateConfig`].
    UpdateConfig(UpdateConfig) = 110,
    /// See [`DataReplacement`].
    DataReplacement(DataReplacement) = 111,
    /// Progress of a log in memory, which nobody here has: its message.
    UpdateMemWalState(Vec<u8>) = 112,
    /// See [`Clone`].
    Clone(Clone) = 113,
    /// See [`UpdateBases`].
    UpdateBases(UpdateBases) = 114,
    /// Files that replace single values: its message.
    DataOverlay(Vec<u8>) = 115,
}
