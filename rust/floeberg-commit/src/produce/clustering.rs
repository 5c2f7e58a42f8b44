//! Which manifests are clustered by partition, and how?
//!
//! In: a request. Out: what both ways of clustering ask for.
//! Spec: Manifests.

use floeberg_iceberg::manifest::{EntryRequest, ManifestContent, ManifestFile, MetricsForm};

use super::context::ActionContext;

/// What is clustered, and how.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clustering<'a> {
    /// Manifests of one spec and one content, at least one.
    pub manifests: &'a [ManifestFile],
    /// Their spec.
    pub spec_id: i32,
    /// Their content.
    pub content: ManifestContent,
    /// Positions of the partition fields that order files, the first one first.
    pub fields: &'a [usize],
    /// The number of new manifests, at least 1.
    pub count: u64,
}

/// Entries as they can be written again.
pub(super) fn whole_entries(context: &ActionContext<'_>) -> EntryRequest {
    // Format version 1 stores files in other bytes.
    let is_old = context.metadata.format_version < 2;
    let metrics_form = if is_old { MetricsForm::Maps } else { MetricsForm::Stored };
    EntryRequest { with_metrics: true, metrics_form, ..EntryRequest::default() }
}
