//! Which rows of a version does a commit delete?
//!
//! In: addresses of rows. Out: the rows of each fragment.
//!
//! Invariant: a row is deleted once.

use std::sync::Arc;

use floeberg_core::{Cancel, Error, Result};

use crate::commit::RowsOf;
use crate::pages::Pages;
use crate::read::RowColumn;
use crate::rows::{RowStream, numbers};
use crate::scan::Scan;
use crate::table::Table;

/// Checks that no column hides where rows are. Errors: `Unsupported`.
pub(super) fn check_reserved_names(table: &Table) -> Result<()> {
    for name in [RowColumn::Address.name(), RowColumn::Id.name()] {
        if table.schema().fields().iter().any(|field| field.name == name) {
            return Err(Error::unsupported(format!(
                "rows of a table with a column '{name}' cannot be changed: the name is reserved. Rename the column"
            )));
        }
    }
    Ok(())
}

/// Adds rows by their addresses, which have the ids of fragments in the upper 32 bits. Errors: `Internal` for a row that was added before.
pub(super) fn add_rows(rows: &mut RowsOf, addresses: &[u64]) -> Result<()> {
    // Those of a fragment mostly follow one another.
    for of_one in addresses.chunk_by(|one, other| one >> 32 == other >> 32) {
        let of_fragment = rows.entry(of_one[0] >> 32).or_default();
        for address in of_one {
            let row = (address & 0xffff_ffff) as u32;
            // They mostly ascend, too.
            if of_fragment.try_push(row).is_err() && !of_fragment.insert(row) {
                return Err(
                    Error::internal("a row is changed twice by one operation").with("address", address)
                );
            }
        }
    }
    Ok(())
}

/// The rows that match the filter of a scan, whose columns are not read, and their number.
///
/// Errors: `Unsupported` where a column hides where rows are; those of [`Scan::request`] and of [`RowStream::next_batch`]; `Cancelled`.
pub fn matching_rows(scan: &Scan, pages: &Arc<dyn Pages>, cancel: &Cancel) -> Result<(RowsOf, u64)> {
    check_reserved_names(scan.table())?;
    let request = scan.clone().select(vec![RowColumn::Address.name().to_owned()]).request()?;
    let mut stream = RowStream::of_request(&request, pages);
    let (mut rows, mut count) = (RowsOf::new(), 0);
    while let Some(batch) = stream.next_batch()? {
        cancel.check()?;
        let addresses = numbers(&batch, RowColumn::Address.name())?;
        add_rows(&mut rows, addresses)?;
        count += addresses.len() as u64;
    }
    Ok((rows, count))
}
