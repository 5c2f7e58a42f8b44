//! Where are rows that are asked for by id or address?
//!
//! In: ids or addresses, in any order and repeated. Out: for each fragment the rows that are read, and for each row asked the place
//! where it comes out.
//!
//! Invariant: a row that is not there, or is deleted, is an error that names it.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use floeberg_core::{Error, Result};
use roaring::RoaringBitmap;

use crate::read::{FragmentRows, ReadRequest, Rows};

/// Rows that are asked for.
#[derive(Debug, Clone)]
pub struct Taken {
    request: Arc<ReadRequest>,
    /// The places of fragments and their rows, ascending.
    parts: Vec<(usize, Vec<u64>)>,
    /// For each requested row, its index in the rows read.
    order: Vec<u64>,
}

impl Taken {
    /// Rows by their stable ids; by their addresses, where the table has no stable ids.
    ///
    /// Errors: `NotFound` for an id that no row has; those of [`crate::Table::addresses`].
    pub fn by_ids(request: Arc<ReadRequest>, ids: &[u64]) -> Result<Self> {
        let table = request.table();
        if !table.has_stable_row_ids() {
            return Self::by_addresses(request, ids);
        }
        let mut addresses = Vec::with_capacity(ids.len());
        for (id, address) in ids.iter().zip(table.addresses(ids)?) {
            addresses.push(address.ok_or_else(|| missing(&request, "id", *id))?);
        }
        Self::by_addresses(request, &addresses)
    }

    /// Rows by their addresses. Errors: `NotFound` for an address without a row.
    pub fn by_addresses(request: Arc<ReadRequest>, addresses: &[u64]) -> Result<Self> {
        let table = request.table().clone();
        let fragments = &table.manifest().fragments;
        let places: HashMap<u64, usize> = fragments.ids().iter().copied().zip(0..).collect();
        let mut rows: BTreeMap<usize, Vec<u64>> = BTreeMap::new();
        let mut wanted = Vec::with_capacity(addresses.len());
        for address in addresses {
            let row = address & 0xffff_ffff;
            let place = places.get(&(address >> 32)).copied();
            let place = place.filter(|place| row < fragments.physical_rows()[*place]);
            let place = place.ok_or_else(|| missing(&request, "address", *address))?;
            rows.entry(place).or_default().push(row);
            wanted.push((place, row));
        }
        for (place, rows) in &mut rows {
            rows.sort_unstable();
            rows.dedup();
            let deleted: RoaringBitmap = table.deleted_rows(*place)?;
            if let Some(row) = rows.iter().find(|row| deleted.contains(**row as u32)) {
                return Err(missing(&request, "address", fragments.ids()[*place] << 32 | row));
            }
        }
        let order = order(&rows, &wanted);
        Ok(Self { request, parts: rows.into_iter().collect(), order })
    }

    /// What is read.
    pub fn request(&self) -> &Arc<ReadRequest> {
        &self.request
    }

    /// How many fragments are read.
    pub fn fragments(&self) -> usize {
        self.parts.len()
    }

    /// For each requested row, its index in the rows of all fragments in their order.
    pub fn order(&self) -> &[u64] {
        &self.order
    }

    /// Begins to read the rows of a fragment. Errors: those of [`FragmentRows::open`].
    pub fn open(&self, number: usize) -> Result<FragmentRows> {
        let (place, rows) = self.parts.get(number).ok_or_else(|| {
            Error::invalid_input(format!(
                "{} fragments are read: there is no number {number}",
                self.parts.len()
            ))
        })?;
        FragmentRows::open(&self.request, *place, Rows::Some(rows.clone()))
    }
}

fn order(rows: &BTreeMap<usize, Vec<u64>>, wanted: &[(usize, u64)]) -> Vec<u64> {
    let mut before = HashMap::with_capacity(rows.len());
    let mut sum = 0;
    for (place, rows) in rows {
        before.insert(*place, sum);
        sum += rows.len() as u64;
    }
    let at = |(place, row): &(usize, u64)| {
        let within = rows.get(place).map_or(0, |rows| rows.partition_point(|known| known < row));
        before.get(place).copied().unwrap_or_default() + within as u64
    };
    wanted.iter().map(at).collect()
}

/// The error of a row that is not there.
pub(crate) fn missing(request: &ReadRequest, what: &str, number: u64) -> Error {
    let version = request.table().version();
    Error::not_found(format!(
        "version {version} has no row of the {what} {number}: it is deleted, or never was"
    ))
}
