//! What is known of the values of a column, in a file, a stripe or a row group?
//!
//! Spec: ORC v1, Column Statistics, Stripe Statistics, Indexes.
//!
//! Invariant: a bound that is absent is not known.

use floeberg_protobuf::{Double, Signed, message};

message! {
    /// Statistics of a column.
    pub(crate) struct ColumnStatistics {
        /// How many values are not null.
        values: u64 = 1,
        /// Of whole numbers.
        integers: Option<IntegerRange> = 2,
        /// Of floats.
        floats: Option<FloatRange> = 3,
        /// Of texts.
        texts: Option<TextRange> = 4,
        /// Of booleans: how many are true.
        trues: Option<Counts> = 5,
        /// Of decimals.
        decimals: Option<DecimalRange> = 6,
        /// Of dates.
        dates: Option<DateRange> = 7,
        /// Of bytes: how many there are.
        binary: Option<BinarySum> = 8,
        /// Of points in time.
        timestamps: Option<TimestampRange> = 9,
        /// Is a value null? Old writers do not say it.
        has_null: Option<bool> = 10,
        /// The bytes of its streams.
        bytes_on_disk: u64 = 11,
        /// Of lists and maps.
        collections: Option<CollectionRange> = 12,
    }
}

message! {
    /// Whole numbers.
    pub(crate) struct IntegerRange {
        least: Option<Signed> = 1,
        most: Option<Signed> = 2,
        sum: Option<Signed> = 3,
    }
}

message! {
    /// Floats.
    pub(crate) struct FloatRange {
        least: Option<Double> = 1,
        most: Option<Double> = 2,
        sum: Option<Double> = 3,
    }
}

message! {
    /// Texts, which not every writer cuts between code points: their ends, or bounds of long ones, and their bytes.
    pub(crate) struct TextRange {
        least: Option<Vec<u8>> = 1,
        most: Option<Vec<u8>> = 2,
        sum: Option<Signed> = 3,
        lower: Option<Vec<u8>> = 4,
        upper: Option<Vec<u8>> = 5,
    }
}

message! {
    /// Counts.
    pub(crate) struct Counts {
        counts: Vec<u64> = 1,
    }
}

message! {
    /// Decimals, as texts.
    pub(crate) struct DecimalRange {
        least: Option<String> = 1,
        most: Option<String> = 2,
        sum: Option<String> = 3,
    }
}

message! {
    /// Days from 1970.
    pub(crate) struct DateRange {
        least: Option<Signed> = 1,
        most: Option<Signed> = 2,
    }
}

message! {
    /// The bytes of all values.
    pub(crate) struct BinarySum {
        sum: Option<Signed> = 1,
    }
}

message! {
    /// Milliseconds from 1970, and one more than the nanoseconds in the last of them. The fields 1 and 2 are in the zone of the writer.
    pub(crate) struct TimestampRange {
        least: Option<Signed> = 3,
        most: Option<Signed> = 4,
        least_nanos: Option<i32> = 5,
        most_nanos: Option<i32> = 6,
    }
}

message! {
    /// The elements of a value, and of all of them.
    pub(crate) struct CollectionRange {
        least: u64 = 1,
        most: u64 = 2,
        sum: u64 = 3,
    }
}

message! {
    /// The statistics of all columns of a stripe.
    pub(crate) struct StripeStatistics {
        columns: Vec<ColumnStatistics> = 1,
    }
}

message! {
    /// The section before the footer: statistics of all stripes.
    pub(crate) struct FileMetadata {
        stripes: Vec<StripeStatistics> = 1,
    }
}

message! {
    /// A row group of a column: where it starts in the streams, and its statistics.
    pub(crate) struct RowIndexEntry {
        positions: Vec<u64> = 1,
        statistics: Option<ColumnStatistics> = 2,
    }
}

message! {
    /// The row groups of a column.
    pub(crate) struct RowIndex {
        entries: Vec<RowIndexEntry> = 1,
    }
}

message! {
    /// A bloom filter of a row group. Field 2 is a form that depends on the writer.
    pub(crate) struct BloomFilterMessage {
        hashes: u32 = 1,
        bits: Vec<u8> = 3,
    }
}

message! {
    /// The bloom filters of the row groups of a column.
    pub(crate) struct BloomFilterIndex {
        filters: Vec<BloomFilterMessage> = 1,
    }
}
