//! Which bytes stand for an entry?
//!
//! In: a checked entry, and the stored bytes of its carried fields, if it has these alone. Out: its record, fields in the order of
//! `entry_fields.rs`.
//! Spec: Manifest Entry Fields; Data File Fields.

use std::collections::BTreeMap;

use floeberg_avro::write::Encoder;

use super::put_partition::PartitionFields;
use super::{DataFile, ManifestEntry};

/// A field that v1 requires and nobody reads: Iceberg Java writes 64 MiB.
const BLOCK_SIZE_IN_BYTES: i64 = 64 << 20;

pub(super) fn put_entry(
    out: &mut Encoder,
    entry: &ManifestEntry,
    carried: Option<&[u8]>,
    partition: &PartitionFields,
    format_version: u8,
) {
    out.int(entry.status.number());
    out.optional(entry.snapshot_id, Encoder::long);
    if format_version >= 2 {
        out.optional(entry.sequence_number, Encoder::long);
        out.optional(entry.file_sequence_number, Encoder::long);
    }
    put_file(out, &entry.data_file, carried, partition, format_version);
}

fn put_file(
    out: &mut Encoder,
    file: &DataFile,
    carried: Option<&[u8]>,
    partition: &PartitionFields,
    format_version: u8,
) {
    let (v2, v3) = (format_version >= 2, format_version >= 3);
    if v2 {
        out.int(file.content.number());
    }
    put_text(out, &file.file_path);
    // In capitals, as in Iceberg Java: some readers accept nothing else.
    put_text(out, &file.file_format.to_ascii_uppercase());
    partition.put(out, &file.partition);
    match carried {
        Some(stored) => out.fixed(stored),
        None => put_carried(out, file, format_version),
    }
    if v3 {
        out.optional(file.first_row_id, Encoder::long);
    }
    if v2 {
        out.optional(file.referenced_data_file.as_deref(), put_text);
    }
    if v3 {
        out.optional(file.content_offset, Encoder::long);
        out.optional(file.content_size_in_bytes, Encoder::long);
    }
}

/// The fields that an entry of another manifest would have stored in the same bytes.
fn put_carried(out: &mut Encoder, file: &DataFile, format_version: u8) {
    let (v1, v2) = (format_version == 1, format_version >= 2);
    out.long(file.record_count);
    out.long(file.file_size_in_bytes);
    if v1 {
        out.long(BLOCK_SIZE_IN_BYTES);
    }
    for counts in [&file.column_sizes, &file.value_counts, &file.null_value_counts, &file.nan_value_counts] {
        put_map(out, counts.as_ref(), |out, count| out.long(*count));
    }
    for bounds in [&file.lower_bounds, &file.upper_bounds] {
        put_map(out, bounds.as_ref(), |out, bound| out.prefixed(bound));
    }
    out.optional(file.key_metadata.as_deref(), Encoder::prefixed);
    put_list(out, file.split_offsets.as_deref(), Encoder::long);
    if v2 {
        put_list(out, file.equality_ids.as_deref(), Encoder::int);
    }
    out.optional(file.sort_order_id, Encoder::int);
}

fn put_text(out: &mut Encoder, text: &str) {
    out.prefixed(text.as_bytes());
}

fn put_list<T: Copy>(out: &mut Encoder, list: Option<&[T]>, put: impl Fn(&mut Encoder, T)) {
    out.optional(list, |out, list| out.items(list.iter(), |out, item| put(out, *item)));
}

fn put_map<V>(out: &mut Encoder, map: Option<&BTreeMap<i32, V>>, put: impl Fn(&mut Encoder, &V)) {
    out.optional(map, |out, map| {
        out.items(map.iter(), |out, (id, value)| {
            out.int(*id);
            put(out, value);
        });
    });
}
