//! How do rows cross between workers without a loss?
//!
//! In: batches of one schema. Out: a stream in Arrow's own format, and the batches again.
//!
//! Invariant: types, nulls and values stay. Bytes of something else are an error.

use arrow_array::RecordBatch;
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::ArrowError;
use floeberg_core::{Error, Result, fenced};

/// The bytes of batches, of which there is at least one.
pub(super) fn to_bytes(batches: &[RecordBatch]) -> Result<Vec<u8>> {
    let failed =
        |error: ArrowError| Error::internal("rows cannot be sent to another worker").caused_by(error);
    let Some(first) = batches.first() else { return Ok(Vec::new()) };
    let mut writer = StreamWriter::try_new(Vec::new(), first.schema_ref()).map_err(failed)?;
    batches.iter().try_for_each(|batch| writer.write(batch)).map_err(failed)?;
    writer.into_inner().map_err(failed)
}

/// Gives the batches of such bytes. Errors: `InvalidInput` for other bytes; those of `give`.
pub(crate) fn from_bytes(bytes: &[u8], give: &mut dyn FnMut(RecordBatch) -> Result<()>) -> Result<()> {
    let damaged = |error: ArrowError| {
        Error::invalid_input("expected rows that another worker sent, found other bytes").caused_by(error)
    };
    // The library may panic on other bytes.
    let mut reader = fenced(|| StreamReader::try_new(bytes, None).map_err(damaged))?;
    while let Some(batch) = fenced(|| reader.next().transpose().map_err(damaged))? {
        give(batch)?;
    }
    Ok(())
}
