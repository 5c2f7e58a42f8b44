//! Data and delete files as a scan reads them.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use floeberg_core::Result;
use floeberg_core::expr::{BoundExpr, bind, parse};
use floeberg_core::schema::{Field, ListType, MapType, PrimitiveType, Schema, StructType, Type};
use floeberg_iceberg::plan::{DeleteFile, DeleteKind, FileFormat, FileScanTask};
use floeberg_iceberg::read::{ReadRequest, TableReader, read_task};
use floeberg_io::{MemoryStore, Store};
use floeberg_orc::OrcFile;

use crate::avro_shapes::file_of;
use crate::judge::{decoded, judge};

const DATA: &str = "memory://t/data";
const DELETES: &str = "memory://t/deletes";
/// Longer files repeat themselves.
const LONGEST: usize = 1 << 16;
/// So many rows are looked at: a file may tell of very many in a few bytes, rightly.
const MOST_ROWS: usize = 1 << 17;

/// All columns of an ORC file.
pub(crate) fn orc_file(bytes: &[u8]) {
    if bytes.len() > LONGEST {
        return;
    }
    let store = store(DATA, bytes);
    let Some(file) = decoded(store.open(DATA).and_then(OrcFile::open)) else { return };
    let all: BTreeSet<usize> = (0..1 << 10).collect();
    let mut rows = 0;
    for number in 0..file.stripes().len().min(16) {
        row_groups(&file, number);
        let Some(batches) = decoded(file.read(number, &all, 1024)) else { continue };
        for batch in batches {
            rows += decoded(batch).map_or(0, |batch| batch.num_rows());
            if rows > MOST_ROWS {
                return;
            }
        }
    }
}

/// The row groups of a stripe but the first, and what is said of all of them.
fn row_groups(file: &OrcFile, stripe: usize) {
    let all: BTreeSet<usize> = (0..64).collect();
    let types = [PrimitiveType::Long, PrimitiveType::String, PrimitiveType::Timestamp, PrimitiveType::Double];
    for (leaf, primitive) in (0..8).flat_map(|leaf| types.iter().map(move |primitive| (leaf, primitive))) {
        decoded(file.stripe_stats(stripe, leaf, &primitive.clone().into()));
    }
    let Some(Some(mut index)) = decoded(file.index(stripe, &all)) else { return };
    let groups = 1..index.groups();
    index.stats(0, 0, &PrimitiveType::Long.into());
    let Some(Some(ranges)) = decoded(file.group_ranges(&mut index, &all, &[groups])) else { return };
    for range in ranges {
        let Some(batches) = decoded(file.read_groups(&index, &all, 1024, range)) else { continue };
        batches.take(64).for_each(|batch| drop(decoded(batch)));
    }
}

/// A file of any format; a first byte chooses it and how it is read. A filter takes rows away, and adds none.
pub(crate) fn data_file(bytes: &[u8]) {
    let Some((choice, file)) = bytes.split_first() else { return };
    if file.len() > LONGEST {
        return;
    }
    let reader = reader(&store(DATA, file), columns());
    let task = task(*choice);
    let all = read(&reader, &task);
    let filtered = FileScanTask { residual: Arc::new(filter(choice >> 3)), ..task };
    let some = read(&reader, &filtered);
    if let (Some(all), Some(some)) = (all, some)
        && all.1
    {
        assert!(some.0 <= all.0, "{} rows of {} match", some.0, all.0);
    }
}

/// A delete file of any kind for 100 rows: what is left are some of them, in order.
pub(crate) fn delete_file(bytes: &[u8]) {
    let Some((choice, file)) = bytes.split_first() else { return };
    if file.len() > LONGEST {
        return;
    }
    let store = store(DELETES, file);
    store.put(DATA, hundred_rows());
    let schema = Schema::new(0, vec![Field::required(3, "n", PrimitiveType::Long)]).unwrap();
    let reader = reader(&store, schema);
    let kind = match choice >> 2 & 3 {
        0 | 1 => DeleteKind::Position,
        2 => DeleteKind::Equality { equality_ids: vec![3] },
        _ => DeleteKind::Vector { content_offset: 0, content_size_in_bytes: file.len() as i64 },
    };
    let of_vector = matches!(kind, DeleteKind::Vector { .. });
    let deletes = DeleteFile {
        file_path: DELETES.to_owned(),
        location: DELETES.to_owned(),
        file_format: if of_vector { FileFormat::Puffin } else { format(*choice) },
        kind,
        record_count: i64::from(*choice >> 4),
        file_size_in_bytes: file.len() as i64,
        data_sequence_number: 2,
        referenced_data_file: of_vector.then(|| DATA.to_owned()),
        spec_id: 0,
        partition: Vec::new(),
    };
    let task = FileScanTask { deletes: vec![Arc::new(deletes)], ..task(1) };
    let Some(batches) = decoded(read_task(&reader, &task).and_then(Iterator::collect::<Result<Vec<_>>>))
    else {
        return;
    };
    let left: Vec<i64> = batches
        .iter()
        .flat_map(|batch| batch.column(0).as_primitive::<Int64Type>().values().to_vec())
        .collect();
    assert!(left.is_sorted_by(|one, next| one < next), "{left:?}");
    assert!(left.iter().all(|number| (0..100).contains(number)), "{left:?}");
}

fn store(location: &str, bytes: &[u8]) -> MemoryStore {
    let store = MemoryStore::new();
    store.put(location, bytes.to_vec());
    store
}

fn reader(store: &MemoryStore, schema: Schema) -> Arc<TableReader> {
    let schema = Arc::new(schema);
    let request = ReadRequest::new(Arc::new(store.clone()), Arc::clone(&schema), schema);
    Arc::new(TableReader::new(request.with_batch_rows(1024).with_memory(64 << 20)))
}

fn format(choice: u8) -> FileFormat {
    match choice & 3 {
        0 => FileFormat::Parquet,
        1 => FileFormat::Avro,
        _ => FileFormat::Orc,
    }
}

fn task(choice: u8) -> FileScanTask {
    FileScanTask {
        file_path: DATA.to_owned(),
        location: DATA.to_owned(),
        file_format: format(choice),
        file_size_in_bytes: 1,
        record_count: 1,
        byte_range: None,
        spec_id: 0,
        partition: Arc::new(Vec::new()),
        data_sequence_number: 1,
        first_row_id: None,
        deletes: Vec::new(),
        residual: Arc::new(BoundExpr::True),
    }
}

/// How many rows there are, and whether all were read; `None` for an error.
fn read(reader: &Arc<TableReader>, task: &FileScanTask) -> Option<(usize, bool)> {
    let mut rows = 0;
    for batch in decoded(read_task(reader, task))? {
        match batch {
            Ok(batch) => rows += batch.num_rows(),
            Err(error) => {
                judge(&error);
                return None;
            }
        }
        if rows > MOST_ROWS {
            return Some((rows, false));
        }
    }
    Some((rows, true))
}

/// The columns that the files of the corpus have under these ids.
fn columns() -> Schema {
    let decimal = |precision, scale| PrimitiveType::Decimal { precision, scale };
    let primitives = [
        ("id", PrimitiveType::Long),
        ("b", PrimitiveType::Boolean),
        ("i", PrimitiveType::Int),
        ("l", PrimitiveType::Long),
        ("f", PrimitiveType::Float),
        ("d", PrimitiveType::Double),
        ("dec9", decimal(9, 2)),
        ("dec18", decimal(18, 4)),
        ("dec38", decimal(38, 10)),
        ("dt", PrimitiveType::Date),
        ("ts", PrimitiveType::Timestamp),
        ("tstz", PrimitiveType::Timestamptz),
        ("s", PrimitiveType::String),
        ("bin", PrimitiveType::Binary),
    ];
    let mut fields: Vec<Field> =
        (1..).zip(primitives).map(|(id, (name, of))| Field::optional(id, name, of)).collect();
    let a = Field::optional(18, "a", PrimitiveType::Int);
    let inner = StructType { fields: vec![a, Field::optional(19, "b", PrimitiveType::String)] };
    fields.push(Field::optional(15, "st", Type::Struct(inner)));
    let element = Field::optional(20, "element", PrimitiveType::String);
    fields.push(Field::optional(16, "lst", Type::List(Box::new(ListType { element }))));
    let map = MapType {
        key: Field::required(21, "key", PrimitiveType::String),
        value: Field::optional(22, "value", PrimitiveType::Int),
    };
    fields.push(Field::optional(17, "m", Type::Map(Box::new(map))));
    Schema::new(0, fields).unwrap()
}

fn filter(choice: u8) -> BoundExpr {
    let text = match choice {
        0 => "id > 3",
        1 => "s = 'a' OR d IS NAN",
        2 => "i IS NULL AND l != 0",
        3 => "dec9 >= 1.5 AND dt < '2022-01-01'",
        4 => "st.a IN (1, 2, 3)",
        _ => "ts IS NOT NULL AND b = TRUE",
    };
    bind(&parse(text).unwrap(), &columns(), true).unwrap()
}

/// An Avro file of the numbers from 0 to 99 in a column with the id 3.
fn hundred_rows() -> Vec<u8> {
    // The schema is the chooser's first: a record of one plain long.
    let mut choice = vec![2, 0, 1, 100];
    for number in 0..100_u8 {
        let zigzag = u16::from(number) << 1;
        if zigzag < 0x80 {
            choice.push(zigzag as u8);
        } else {
            choice.extend([zigzag as u8 & 0x7f | 0x80, (zigzag >> 7) as u8]);
        }
    }
    file_of(&choice).unwrap()
}
