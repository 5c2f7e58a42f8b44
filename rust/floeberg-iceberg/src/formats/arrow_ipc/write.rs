//! How are Arrow files written?

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{ArrowError, SchemaRef};
use floeberg_core::schema::arrow::schema_to_arrow;
use floeberg_core::{Error, Result};
use floeberg_files::{FileLayout, FileMetrics, FileWriter, LayoutRequest, Piece, Waiting, Work};
use floeberg_io::{Sink, Store};

#[derive(Debug)]
struct IpcLayout(SchemaRef);

struct IpcWriter {
    location: String,
    schema: SchemaRef,
    sink: Box<dyn Sink>,
    file: StreamWriter<Vec<u8>>,
    rows: u64,
}

/// The layout of a write.
pub(crate) fn layout(request: &LayoutRequest<'_>) -> Result<Arc<dyn FileLayout>> {
    Ok(Arc::new(IpcLayout(Arc::new(schema_to_arrow(request.schema)?))))
}

impl FileLayout for IpcLayout {
    fn format(&self) -> &'static str {
        "arrow"
    }

    fn piece(&self, batch: &RecordBatch) -> Result<Piece> {
        Ok(Piece::of_columns(batch.columns().to_vec(), batch.num_rows()))
    }

    fn for_rows(self: Arc<Self>, _: &[RecordBatch], _: bool) -> Result<Arc<dyn FileLayout>> {
        Ok(self)
    }

    fn for_file(self: Arc<Self>, _: &[Piece]) -> Result<Arc<dyn FileLayout>> {
        Ok(self)
    }

    fn file_memory(&self) -> u64 {
        1 << 10
    }

    fn create(self: Arc<Self>, store: &dyn Store, location: &str) -> Result<Box<dyn FileWriter>> {
        let sink = store.create(location)?;
        let schema = Arc::clone(&self.0);
        let file = StreamWriter::try_new(Vec::new(), &schema).map_err(failed)?;
        Ok(Box::new(IpcWriter { location: location.to_owned(), schema, sink, file, rows: 0 }))
    }
}

impl FileWriter for IpcWriter {
    fn location(&self) -> &str {
        &self.location
    }

    fn size(&self) -> u64 {
        self.memory()
    }

    fn memory(&self) -> u64 {
        self.file.get_ref().len() as u64
    }

    fn file_memory(&self) -> u64 {
        1 << 10
    }

    fn room(&self, _: Waiting, _: u64) -> u64 {
        10
    }

    fn is_unit_full(&self) -> bool {
        false
    }

    fn encode<'a>(&'a mut self, rows: &'a [Piece]) -> Result<Vec<Work<'a>>> {
        self.rows += Waiting::of(rows).rows;
        Ok(vec![Box::new(move || {
            for piece in rows {
                let batch = RecordBatch::try_new(Arc::clone(&self.schema), piece.columns.clone());
                self.file.write(&batch.map_err(failed)?).map_err(failed)?;
            }
            Ok(())
        })])
    }

    fn end_unit(&mut self) -> Result<Vec<Work<'_>>> {
        Ok(Vec::new())
    }

    fn write_unit(&mut self) -> Result<()> {
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<FileMetrics> {
        let Self { mut sink, file, rows, .. } = *self;
        sink.write(&file.into_inner().map_err(failed)?)?;
        let size = sink.finish()?;
        Ok(FileMetrics {
            record_count: rows as i64,
            file_size_in_bytes: size as i64,
            ..FileMetrics::default()
        })
    }
}

fn failed(error: ArrowError) -> Error {
    Error::internal("an Arrow file cannot be written").caused_by(error)
}
