//! How do entries become manifests of about a target size?
//!
//! In: entries of one spec. Out: manifests, written and durable.
//! Spec: Manifests.
//!
//! Invariant: memory holds one manifest.

use floeberg_avro::write::ContainerOptions;
use floeberg_core::Result;
use floeberg_core::schema::StructType;
use floeberg_iceberg::manifest::{
    ManifestContent, ManifestEntry, ManifestPart, ManifestRequest, ManifestWriter, UnknownField,
    WrittenManifest,
};
use floeberg_iceberg::metadata::PartitionSpec;

use super::context::ActionContext;
use super::manifest_options::manifest_options;

/// How much memory is reserved for a manifest at most.
const MOST_RESERVED: usize = 16 << 20;

/// Writes manifests, one after the other.
pub(crate) struct RollingManifests<'a> {
    context: &'a ActionContext<'a>,
    spec: &'a PartitionSpec,
    content: ManifestContent,
    partition_type: StructType,
    folder: String,
    /// Bytes after which the next manifest begins; `None` writes one.
    target: Option<u64>,
    /// Fields of entries that this version does not know.
    unknown: Vec<UnknownField>,
    /// How many bytes of memory a new manifest begins with.
    reserved: usize,
    open: Option<(String, ManifestWriter<Vec<u8>>)>,
    done: Vec<WrittenManifest>,
}

impl<'a> RollingManifests<'a> {
    pub fn new(
        context: &'a ActionContext<'a>,
        spec_id: i32,
        content: ManifestContent,
        target: Option<u64>,
    ) -> Result<Self> {
        let spec = context.spec(spec_id)?;
        Ok(Self {
            context,
            spec,
            content,
            partition_type: spec.partition_type(&context.metadata)?,
            folder: context.metadata.metadata_folder(),
            target,
            unknown: Vec::new(),
            reserved: 0,
            open: None,
            done: Vec::new(),
        })
    }

    /// The same for entries with fields that this version does not know.
    pub fn with_unknown(self, fields: &[UnknownField]) -> Self {
        Self { unknown: fields.to_vec(), ..self }
    }

    /// The same with memory for manifests of about so many bytes.
    pub fn with_reserved(self, bytes: u64) -> Self {
        Self { reserved: usize::try_from(bytes).unwrap_or(MOST_RESERVED).min(MOST_RESERVED), ..self }
    }

    /// Goes on with entries of a manifest with these fields that this version does not know: in another manifest, where the open one
    /// does not declare them. Errors: those of the store.
    pub fn go_on_with_unknown(&mut self, fields: &[UnknownField]) -> Result<()> {
        if fields.iter().any(|field| !self.unknown.contains(field)) {
            self.end()?;
            self.unknown = fields.to_vec();
        }
        Ok(())
    }

    /// Adds an entry. Errors: those of [`ManifestWriter::add`] and of the store.
    pub fn add(&mut self, entry: &ManifestEntry) -> Result<()> {
        self.add_carried(entry, None)
    }

    /// Adds an entry of another manifest, with the bytes of its carried fields, if it has them. Errors: the same.
    pub fn add_carried(&mut self, entry: &ManifestEntry, carried: Option<&[u8]>) -> Result<()> {
        let (location, mut writer) = match self.open.take() {
            Some(open) => open,
            None => self.start()?,
        };
        writer.add_carried(entry, carried)?;
        let is_full = self.target.is_some_and(|target| writer.length() >= target);
        self.open = Some((location, writer));
        if is_full { self.end() } else { Ok(()) }
    }

    /// The manifests; empty without entries.
    pub fn finish(mut self) -> Result<Vec<WrittenManifest>> {
        self.end()?;
        Ok(self.done)
    }

    /// The parts of manifests, of writers with this marker. Errors: those of [`ManifestWriter::of_parts`].
    pub fn parts(&self, sync: [u8; 16]) -> Result<ManifestWriter<Vec<u8>>> {
        let options = self.options(Some(sync))?;
        ManifestWriter::of_parts(&self.request(&self.folder), &options)
    }

    /// Writes a manifest of parts with this marker. Errors: those of [`ManifestWriter::finish_with`] and of the store.
    pub fn join(&self, parts: Vec<ManifestPart>, sync: [u8; 16]) -> Result<WrittenManifest> {
        let location = self.context.kept.name_manifest(&self.folder);
        let options = self.options(Some(sync))?;
        let writer = ManifestWriter::new(Vec::new(), &self.request(&location), &options)?;
        let (pieces, written) = writer.finish_with(parts)?;
        self.stored(&location, &pieces, written)
    }

    /// Stores a manifest; encrypted, where the store has keys.
    fn stored<B: AsRef<[u8]>>(
        &self,
        location: &str,
        pieces: &[B],
        written: WrittenManifest,
    ) -> Result<WrittenManifest> {
        self.context.reader.cancel.check()?;
        let store = self.context.reader.store.as_ref();
        self.context.kept.write(store, location, pieces)?;
        let key = store.keys().map(|keys| keys.key_of(location)).transpose()?.flatten();
        Ok(match key {
            Some(key) => written.encrypted_by(&key),
            None => written,
        })
    }

    fn start(&self) -> Result<(String, ManifestWriter<Vec<u8>>)> {
        let location = self.context.kept.name_manifest(&self.folder);
        let output = Vec::with_capacity(self.reserved);
        let writer = ManifestWriter::new(output, &self.request(&location), &self.options(None)?)?;
        Ok((location, writer))
    }

    fn request<'b>(&'b self, location: &'b str) -> ManifestRequest<'b> {
        ManifestRequest {
            location,
            format_version: self.context.metadata.format_version,
            content: self.content,
            snapshot_id: self.context.snapshot_id(),
            schema: self.context.metadata.current_schema(),
            spec: self.spec,
            partition_type: &self.partition_type,
            unknown: &self.unknown,
        }
    }

    fn options(&self, sync: Option<[u8; 16]>) -> Result<ContainerOptions> {
        Ok(ContainerOptions { sync, ..manifest_options(&self.context.metadata.properties)? })
    }

    /// Writes the open manifest, if there is one. Errors: those of the store.
    pub fn end(&mut self) -> Result<()> {
        let Some((location, writer)) = self.open.take() else { return Ok(()) };
        let (bytes, written) = writer.finish()?;
        let written = self.stored(&location, &[bytes], written)?;
        self.done.push(written);
        Ok(())
    }
}
