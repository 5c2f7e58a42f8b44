//! How do entries become manifests of about a target size?
//!
//! In: entries of one spec. Out: manifests, written and durable.
//! Spec: Manifests.
//!
//! Invariant: memory holds one manifest.

use floeberg_core::Result;
use floeberg_core::schema::StructType;
use floeberg_iceberg::manifest::{
    ManifestContent, ManifestEntry, ManifestRequest, ManifestWriter, UnknownField, WrittenManifest,
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

    fn start(&self) -> Result<(String, ManifestWriter<Vec<u8>>)> {
        let location = self.context.kept.name_manifest(&self.folder);
        let request = ManifestRequest {
            location: &location,
            format_version: self.context.metadata.format_version,
            content: self.content,
            snapshot_id: self.context.snapshot_id(),
            schema: self.context.metadata.current_schema(),
            spec: self.spec,
            partition_type: &self.partition_type,
            unknown: &self.unknown,
        };
        let options = manifest_options(&self.context.metadata.properties)?;
        let writer = ManifestWriter::new(Vec::with_capacity(self.reserved), &request, &options)?;
        Ok((location, writer))
    }

    /// Writes the open manifest, if there is one. Errors: those of the store.
    pub fn end(&mut self) -> Result<()> {
        let Some((location, writer)) = self.open.take() else { return Ok(()) };
        let (bytes, mut written) = writer.finish()?;
        self.context.reader.cancel.check()?;
        let store = self.context.reader.store.as_ref();
        self.context.kept.write(store, &location, &bytes)?;
        if let Some(key) = store.keys().map(|keys| keys.key_of(&location)).transpose()?.flatten() {
            written = written.encrypted_by(&key);
        }
        self.done.push(written);
        Ok(())
    }
}
