//! Which row groups can a file's bloom filters skip?
//!
//! In: the row groups that statistics did not skip, and the filter. Out: the row groups that may hold a matching row.
//! Spec: Appendix A, Parquet (bloom filters are Parquet's own).
//!
//! Invariant: a row group is skipped only if it lacks all values that the filter looks for. A bloom filter is read
//! only if it can skip the row group, statistics do not decide, and it is smaller than the bytes it may save. Bloom
//! filters are optional: a damaged one, or one of an unknown kind, is ignored.

use std::collections::BTreeMap;

use bytes::Bytes;
use floeberg_core::Result;
use floeberg_core::expr::{BoundExpr, BoundPredicate, Operator, may_match, must_match};
use floeberg_files::{FileFilter, RowPredicate, Unit};
use parquet::bloom_filter::Sbbf;
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};

use super::ParquetFile;
use super::group_statistics::{GroupStatistics, OneGroup};
use super::statistics::column_of;
use super::stored_value::stored_forms;

/// The longest header: the type of the first field, up to five bytes of a number, and [`SPLIT_BLOCK`].
const HEADER: u64 = 1 + 5 + SPLIT_BLOCK.len() as u64;
/// The fields of a header after the number of bytes, in Thrift's compact form: split blocks, xxHash, uncompressed. The format has
/// no other kinds.
const SPLIT_BLOCK: [u8; 13] = [0x1c, 0x1c, 0x00, 0x00, 0x1c, 0x1c, 0x00, 0x00, 0x1c, 0x1c, 0x00, 0x00, 0x00];
/// The bytes of a block.
const BLOCK: u64 = 32;

impl ParquetFile {
    /// Of some row groups, those that may hold a matching row by their bloom filters.
    pub(super) fn left_by_bloom_filters(&self, units: Vec<Unit>, filter: &FileFilter) -> Result<Vec<Unit>> {
        let FileFilter::Rows(predicate) = filter else { return Ok(units) };
        // They are encrypted too, and the library does not decrypt them.
        if self.is_encrypted {
            return Ok(units);
        }
        let chunks = || self.metadata().row_groups().iter().flat_map(RowGroupMetaData::columns);
        if chunks().all(|chunk| chunk.bloom_filter_offset().is_none()) {
            return Ok(units);
        }
        let question = Question::new(&predicate.expr, self, predicate);
        let statistics = GroupStatistics::new(self, predicate);
        let mut left = Vec::with_capacity(units.len());
        for unit in units {
            let stats = statistics.group(unit.number);
            let mut filters = Filters { file: self, group: unit.number, read: BTreeMap::new() };
            if !question.is_ruled_out(&stats, &mut filters)? {
                left.push(unit);
            }
        }
        Ok(left)
    }

    /// The bloom filter of a column chunk; `None` without one that can be used. Errors: those of the store.
    pub(crate) fn bloom_filter(&self, chunk: &ColumnChunkMetaData) -> Result<Option<Sbbf>> {
        let size = self.source.size()?;
        let start = chunk.bloom_filter_offset().and_then(|offset| u64::try_from(offset).ok());
        let Some(start) = start.filter(|start| *start < size) else { return Ok(None) };
        // Older writers do not store the length, but the header has it.
        let said = chunk.bloom_filter_length().and_then(|length| u64::try_from(length).ok());
        let first = said.unwrap_or(HEADER).min(size - start);
        let bytes = self.near_end(start..start + first)?;
        let Some((header, bits)) = header(&bytes) else { return Ok(None) };
        let (bits_start, end) = (start + header, start + header + bits);
        let is_sound = bits > 0 && bits.is_multiple_of(BLOCK) && end <= size;
        let is_as_said = said.is_none_or(|length| length == header + bits);
        if !is_sound || !is_as_said || bits > u64::try_from(chunk.compressed_size()).unwrap_or(0) {
            return Ok(None);
        }
        let bits = match said {
            Some(_) => bytes.slice(header as usize..),
            None => self.near_end(bits_start..end)?,
        };
        Ok(Some(Sbbf::new(&bits)))
    }
}

/// A filter, as questions to bloom filters.
struct Question<'a> {
    expr: &'a BoundExpr,
    kind: Kind<'a>,
}

enum Kind<'a> {
    /// Bloom filters cannot decide it.
    Plain,
    /// Ruled out if one of these is.
    And(Vec<Question<'a>>),
    /// Ruled out if all of these are.
    Or(Vec<Question<'a>>),
    /// Ruled out if a column has none of these encoded values.
    Values { leaf: usize, forms: Vec<Vec<u8>> },
}

impl<'a> Question<'a> {
    fn new(expr: &'a BoundExpr, file: &ParquetFile, predicate: &RowPredicate) -> Self {
        let all = |children: &'a [BoundExpr]| {
            children.iter().map(|child| Self::new(child, file, predicate)).collect()
        };
        let kind = match expr {
            BoundExpr::And(children) => Kind::And(all(children)),
            BoundExpr::Or(children) => Kind::Or(all(children)),
            BoundExpr::Predicate(test) => values(test, file, predicate).unwrap_or(Kind::Plain),
            BoundExpr::True | BoundExpr::False | BoundExpr::Condition(_) => Kind::Plain,
        };
        Self { expr, kind }
    }

    /// Would the row group be ruled out, if its bloom filters had none of the values?
    fn could_be_ruled_out(&self, stats: &OneGroup<'_>, filters: &Filters<'_>) -> bool {
        if !may_match(self.expr, stats) {
            return true;
        }
        match &self.kind {
            Kind::Plain => false,
            Kind::And(children) => children.iter().any(|child| child.could_be_ruled_out(stats, filters)),
            Kind::Or(children) => children.iter().all(|child| child.could_be_ruled_out(stats, filters)),
            Kind::Values { leaf, .. } => filters.is_worth_reading(*leaf) && !must_match(self.expr, stats),
        }
    }

    /// Is the row group ruled out? Bloom filters that cannot change the answer are not read.
    fn is_ruled_out(&self, stats: &OneGroup<'_>, filters: &mut Filters<'_>) -> Result<bool> {
        if !may_match(self.expr, stats) {
            return Ok(true);
        }
        if !self.could_be_ruled_out(stats, filters) {
            return Ok(false);
        }
        match &self.kind {
            Kind::Plain => Ok(false),
            Kind::And(children) => {
                for child in children {
                    if child.is_ruled_out(stats, filters)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Kind::Or(children) => {
                for child in children {
                    if !child.is_ruled_out(stats, filters)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Kind::Values { leaf, forms } => {
                let filter = filters.of(*leaf)?;
                Ok(filter.is_some_and(|filter| !forms.iter().any(|form| filter.check(form.as_slice()))))
            }
        }
    }
}

/// The values that a test looks for in a bloom filter, if the encoded bytes of each are certain.
fn values<'a>(test: &BoundPredicate, file: &ParquetFile, predicate: &RowPredicate) -> Option<Kind<'a>> {
    if !matches!(test.op, Operator::Eq | Operator::In) || test.transform.is_some() {
        return None;
    }
    let field = column_of(file, predicate, &test.column)?;
    let leaf = field.leaves.start;
    let column = file.reader.parquet_schema().column(leaf);
    let forms = test.literals.iter().map(|literal| stored_forms(literal, field, &column));
    let forms = forms.collect::<Option<Vec<_>>>()?.into_iter().flatten().collect();
    Some(Kind::Values { leaf, forms })
}

/// The bloom filters of a row group, read when first needed.
struct Filters<'a> {
    file: &'a ParquetFile,
    group: usize,
    read: BTreeMap<usize, Option<Sbbf>>,
}

impl Filters<'_> {
    fn chunk(&self, leaf: usize) -> &ColumnChunkMetaData {
        self.file.metadata().row_group(self.group).column(leaf)
    }

    /// Does a column have one that is not larger than the column itself, by the footer?
    fn is_worth_reading(&self, leaf: usize) -> bool {
        let chunk = self.chunk(leaf);
        let length = i64::from(chunk.bloom_filter_length().unwrap_or(0));
        chunk.bloom_filter_offset().is_some() && length <= chunk.compressed_size()
    }

    fn of(&mut self, leaf: usize) -> Result<Option<&Sbbf>> {
        if !self.read.contains_key(&leaf) {
            let filter = self.file.bloom_filter(self.chunk(leaf))?;
            self.read.insert(leaf, filter);
        }
        Ok(self.read.get(&leaf).and_then(Option::as_ref))
    }
}

/// The lengths of a header and of the bits behind it; `None` for an unknown header.
fn header(bytes: &Bytes) -> Option<(u64, u64)> {
    // Field 1, a 32-bit number in zigzag form.
    let rest = bytes.strip_prefix(&[0x15])?;
    let digits = rest.iter().take(5).position(|byte| byte & 0x80 == 0)? + 1;
    let zigzag = rest[..digits].iter().rev().fold(0_u64, |number, byte| number << 7 | u64::from(byte & 0x7f));
    let is_known = rest.get(digits..)?.starts_with(&SPLIT_BLOCK);
    let length = 1 + digits as u64 + SPLIT_BLOCK.len() as u64;
    (is_known && zigzag & 1 == 0).then_some((length, zigzag >> 1))
}
