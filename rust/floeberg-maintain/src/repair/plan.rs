//! What is mended, what is not, and what is lost?
//!
//! In: findings of a check, and what may be given up. Out: one operation of a commit, and what it does about each finding.
//! Spec: Manifests; Data File Fields; Snapshots.
//!
//! Invariant: a dry run says what the commit does, since both are one plan. Which rows a scan gives changes only by what is given up.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use floeberg_commit::{Repair, why_vector_stays};
use floeberg_core::finding::{Finding, split};
use floeberg_core::{Cancel, Context as _, Error, Result};
use floeberg_exec::budget::thread_budget;
use floeberg_exec::threads::ordered;
use floeberg_iceberg::Table;
use floeberg_iceberg::manifest::{FileContent, ManifestContent, ManifestFile};
use floeberg_iceberg::metadata::{MAIN_BRANCH, RefKind, Snapshot, file_version, hinted_version};
use floeberg_iceberg::write::{Receipt, WrittenFile};
use floeberg_io::location::parent;

use super::described::Describer;
use super::entries::{Found, Target, Wanted, find};
use super::mending::{Mending, mending_of};
use super::metadata::plan_metadata;
use super::recheck::{Skipped, still_true};
use crate::check::SnapshotsToCheck;

/// What may be done besides.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an argument of its own")]
pub struct RepairChoice {
    /// Are data files given up that are gone?
    pub drops_missing_data_files: bool,
    /// Are delete files and deletion vectors given up that are gone? The rows that they deleted come back.
    pub drops_missing_delete_files: bool,
    /// Are manifests given up that are gone?
    pub drops_missing_manifests: bool,
    /// May rows change that a scan gives, since other deletes apply with what is mended?
    pub allows_changed_rows: bool,
    /// Does whoever commits write the metadata file, and not a server?
    pub writes_metadata: bool,
    /// Does the table belong to its folder, so that the folder's hint is its own?
    pub owns_folder: bool,
}

/// A file that is given up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GoneFile {
    /// Its location.
    pub location: String,
    /// `data`, `position deletes`, `equality deletes`, `data manifest` or `delete manifest`.
    pub content: &'static str,
    /// The files that it listed; 1 for a file.
    pub files: i64,
    /// The rows that are lost with it, by its entry or its row of the manifest list: rows that deletes name among them.
    pub lost_rows: i64,
    /// The most rows that come back, which it deleted; `None` where nobody knows.
    pub returned_rows: Option<i64>,
}

/// A plan to mend a table.
#[derive(Debug, Default)]
pub struct RepairPlan {
    /// What is to be committed; empty where nothing is.
    pub repair: Repair,
    /// The findings that it mends, and what is done.
    pub repaired: Vec<(Finding, String)>,
    /// The findings that it does not mend, and why.
    pub skipped: Vec<(Finding, String)>,
    /// The files that are given up.
    pub gone: Vec<GoneFile>,
    /// Is `version-hint.text` written again?
    pub writes_hint: bool,
}

/// Plans to mend what findings say of a table: of its metadata, and of the snapshot of a branch.
///
/// Errors: `NotFound` for a branch that the table does not have; `InvalidInput` for a tag; `InvalidInput` for properties of the table that are invalid; those of the store. A damaged file is none: what it would take
/// is skipped.
pub fn plan_repair(
    table: &Table,
    findings: Vec<Finding>,
    branch: &str,
    choice: RepairChoice,
    cancel: &Cancel,
) -> Result<RepairPlan> {
    let mut skipped = Skipped::new();
    let snapshot = snapshot_of(table, branch)?;
    let checked = match &snapshot {
        Some(snapshot) if branch != MAIN_BRANCH => SnapshotsToCheck::One(snapshot.snapshot_id),
        _ => SnapshotsToCheck::Current,
    };
    let findings = still_true(table, checked, findings, &mut skipped, cancel)?;
    let mut planning = Planning {
        table,
        snapshot,
        choice,
        cancel,
        findings,
        done: BTreeMap::new(),
        plan: RepairPlan::default(),
    };
    planning.plan.repair.allows_changed_rows = choice.allows_changed_rows;
    planning.metadata()?;
    planning.files()?;
    let Planning { findings, mut done, mut plan, .. } = planning;
    for (number, finding) in findings.into_iter().enumerate() {
        match done.remove(&number) {
            Some(Ok(what)) => plan.repaired.push((finding, what)),
            Some(Err(why)) => skipped.push((finding, why)),
            None => skipped.push((finding, "nothing says what is right".to_owned())),
        }
    }
    plan.skipped = skipped;
    Ok(plan)
}

/// The snapshot of a branch; `None` for a table without snapshots.
fn snapshot_of(table: &Table, branch: &str) -> Result<Option<Arc<Snapshot>>> {
    let metadata = table.metadata();
    if branch == MAIN_BRANCH {
        return Ok(metadata.current_snapshot().cloned());
    }
    let snapshot = metadata.snapshot_of_ref(branch).context("table", table.metadata_location())?;
    match metadata.refs.get(branch) {
        Some(reference) if reference.kind == RefKind::Tag => {
            Err(Error::invalid_input(format!("branch: {branch:?} is a tag, expected a branch")))
        }
        _ => Ok(Some(Arc::clone(snapshot))),
    }
}

/// What is done about a finding, or why nothing is.
type Answer = std::result::Result<String, String>;

struct Planning<'a> {
    table: &'a Table,
    /// That of the branch.
    snapshot: Option<Arc<Snapshot>>,
    choice: RepairChoice,
    cancel: &'a Cancel,
    findings: Vec<Finding>,
    /// By the number of a finding: what is done, or why nothing is.
    done: BTreeMap<usize, Answer>,
    plan: RepairPlan,
}

/// The row of a manifest list, or the number of an entry, that the part of a finding names.
fn number_in(part: &str, word: &str) -> Option<usize> {
    let rest = part.strip_prefix(word)?.strip_prefix(' ')?;
    let end = rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().ok()
}

impl Planning<'_> {
    fn metadata(&mut self) -> Result<()> {
        let mut of_metadata = Vec::new();
        let lost_version = self.lost_version()?;
        for (number, finding) in self.findings.iter().enumerate() {
            match mending_of(finding.rule.id) {
                None => {
                    let why = match finding.rule.repair {
                        Some(call) => format!("{call} mends it"),
                        None => "nothing says what is right".to_owned(),
                    };
                    self.done.insert(number, Err(why));
                }
                Some(Mending::Metadata) => of_metadata.push((number, finding)),
                Some(Mending::Hint) if lost_version.is_some() => {
                    let lost = lost_version.unwrap_or_default();
                    let why = format!(
                        "the hint says version {lost}, which is not there: floeberg.repair with drop_damaged_versions=True gives \
                         it up"
                    );
                    self.done.insert(number, Err(why));
                }
                Some(Mending::Hint) if self.choice.owns_folder => {
                    self.plan.writes_hint = true;
                    self.done
                        .insert(number, Ok("version-hint.text leads to the newest metadata file".to_owned()));
                }
                Some(Mending::Hint) => {
                    let why =
                        "a catalog knows the metadata file, and nothing says what the hint is for: remove it";
                    self.done.insert(number, Err(why.to_owned()));
                }
                Some(_) => {}
            }
        }
        let planned = plan_metadata(self.table, &of_metadata, self.choice.writes_metadata, self.cancel)?;
        self.plan.repair.metadata = planned.repair;
        self.done.extend(planned.repaired.into_iter().map(|(number, what)| (number, Ok(what))));
        self.done.extend(planned.skipped.into_iter().map(|(number, why)| (number, Err(why))));
        Ok(())
    }

    /// The version that the hint of the table's folder says, where it is above all that are there.
    fn lost_version(&self) -> Result<Option<u64>> {
        let is_of_hint = |finding: &Finding| mending_of(finding.rule.id) == Some(Mending::Hint);
        let location = self.table.metadata_location();
        let Some((folder, version)) = parent(location).zip(file_version(location)) else { return Ok(None) };
        if !self.choice.owns_folder || !self.findings.iter().any(is_of_hint) {
            return Ok(None);
        }
        let hinted = hinted_version(self.table.store().as_ref(), folder)?;
        Ok(hinted.filter(|hinted| *hinted > version))
    }

    /// The findings that the next snapshot takes.
    fn left(&self) -> Vec<(usize, Mending)> {
        let findings = self.findings.iter().enumerate();
        findings
            .filter(|(number, _)| !self.done.contains_key(number))
            .filter_map(|(number, finding)| Some((number, mending_of(finding.rule.id)?)))
            .collect()
    }

    fn files(&mut self) -> Result<()> {
        let left = self.left();
        let (false, Some(snapshot)) = (left.is_empty(), self.snapshot.clone()) else { return Ok(()) };
        let reader = self.table.manifest_reader(self.cancel)?;
        let manifests = match split(reader.manifests(&snapshot))? {
            Ok(manifests) => manifests,
            Err(error) => {
                self.refuse(&left, &format!("the manifest list cannot be read: {}", error.message()));
                return Ok(());
            }
        };
        let mut wanted = Wanted::default();
        for (number, mending) in &left {
            self.want(*number, *mending, &manifests, &mut wanted);
        }
        let given_up = self.plan.repair.given_up_manifests.clone();
        let there: Vec<ManifestFile> = manifests
            .iter()
            .filter(|manifest| !given_up.contains(&manifest.manifest_path))
            .cloned()
            .collect();
        let found = find(self.table, &there, &wanted, self.cancel)?;
        if let Some((path, error)) = found.unread.first() {
            let why = format!("the manifest {path} cannot be read: {}", error.message());
            self.plan.repair = Repair {
                metadata: self.plan.repair.metadata.clone(),
                allows_changed_rows: self.choice.allows_changed_rows,
                ..Repair::default()
            };
            self.plan.gone.clear();
            self.refuse(&left, &why);
            return Ok(());
        }
        self.without_called_empty(&found);
        self.describe(&left, found)
    }

    /// Nothing is done about findings. Those that are refused already keep their reason.
    fn refuse(&mut self, left: &[(usize, Mending)], why: &str) {
        for (number, _) in left {
            if !matches!(self.done.get(number), Some(Err(_))) {
                self.done.insert(*number, Err(why.to_owned()));
            }
        }
    }

    /// What a finding takes, as far as its own place says it.
    fn want(&mut self, number: usize, mending: Mending, manifests: &[ManifestFile], wanted: &mut Wanted) {
        let finding = &self.findings[number];
        let repair = &mut self.plan.repair;
        let listed = |path: &str| manifests.iter().find(|manifest| manifest.manifest_path == path);
        let entry = number_in(&finding.part, "entry");
        match mending {
            Mending::Snapshot => {
                repair.makes_snapshot = true;
                self.done.insert(number, Ok("the next snapshot has it anew".to_owned()));
            }
            Mending::Manifest => {
                let row = number_in(&finding.part, "row").and_then(|row| manifests.get(row));
                if let Some(manifest) = listed(&finding.location).or(row) {
                    repair.manifests.insert(manifest.manifest_path.clone());
                    self.done.insert(number, Ok("the manifest is written again".to_owned()));
                }
            }
            Mending::MissingManifest => {
                let manifest = listed(&finding.location);
                let is_there = self.table.store().exists(&finding.location).unwrap_or(true);
                let answer = match manifest {
                    _ if is_there => Err("the manifest is there and damaged: restore it".to_owned()),
                    Some(manifest) if self.choice.drops_missing_manifests => {
                        repair.given_up_manifests.insert(manifest.manifest_path.clone());
                        self.plan.gone.push(gone_manifest(manifest));
                        Ok("the manifest is given up".to_owned())
                    }
                    _ => {
                        Err("the manifest is gone: drop_missing_manifests=True gives its files up".to_owned())
                    }
                };
                self.done.insert(number, answer);
            }
            _ => match (entry, finding.rule.level >= floeberg_core::finding::Level::Files) {
                (Some(entry), false) => wanted.add_entry(&finding.location, entry, number),
                (_, true) => wanted.add_file(&finding.location, number),
                (None, false) => {}
            },
        }
    }

    /// Manifests that a list calls empty stay as they are: with right counts, scans would read their files.
    fn without_called_empty(&mut self, found: &Found) {
        let empty: HashSet<&String> = found.called_empty.iter().collect();
        self.plan.repair.manifests.retain(|path| !empty.contains(path));
        for (number, finding) in self.findings.iter().enumerate() {
            if empty.contains(&finding.location) && matches!(self.done.get(&number), Some(Ok(_)) | None) {
                let why = "the list says that the manifest has no live files, and it has some: no scan reads their rows";
                self.done.insert(number, Err(why.to_owned()));
            }
        }
    }

    /// Files as their entries should describe them, and files that are given up.
    fn describe(&mut self, left: &[(usize, Mending)], found: Found) -> Result<()> {
        let mendings: HashMap<usize, Mending> = left.iter().copied().collect();
        let mut targets = Vec::new();
        for target in found.targets {
            let numbers: Vec<usize> = target.findings.clone();
            let mut of_file = Vec::new();
            for number in numbers {
                match mendings.get(&number) {
                    Some(Mending::MissingFile) => self.give_up(number, &target),
                    Some(Mending::Entry) => self.entry(number, &target),
                    Some(Mending::DanglingVector) => self.dangling_vector(number, &target)?,
                    Some(_) if target.is_deleted() => {
                        self.plan.repair.manifests.insert(target.manifest.clone());
                        let what = "the manifest is written again, without its deleted entries";
                        self.answer(number, Ok(what.to_owned()));
                    }
                    Some(mending) if !matches!(self.done.get(&number), Some(Err(_))) => {
                        of_file.push((number, *mending));
                    }
                    _ => {}
                }
            }
            if !of_file.is_empty() {
                targets.push((target, of_file));
            }
        }
        let describer = Describer::new(self.table, self.cancel)?;
        let described = ordered(&targets, thread_budget()?, self.cancel, |(target, of_file)| {
            let mendings: Vec<Mending> = of_file.iter().map(|(_, mending)| *mending).collect();
            split(describer.describe(&target.entry.data_file, &mendings))
        })?;
        let mut files = Vec::new();
        let mut names = HashSet::new();
        for ((target, of_file), described) in targets.into_iter().zip(described) {
            let answer = match described {
                Ok(file) => {
                    let old = &target.entry.data_file;
                    let is_placeless = old.is_vector() && old.content_offset.is_none();
                    let is_new = names.insert((file.file_path.clone(), old.content_offset));
                    if is_new {
                        files.push(WrittenFile { spec_id: target.spec_id, file, purpose: None });
                    }
                    if is_placeless && !is_new {
                        Err("several vectors of the Puffin file have no offset".to_owned())
                    } else {
                        Ok("the entry has what the file says".to_owned())
                    }
                }
                Err(error) => Err(error.message().to_owned()),
            };
            for (number, _) in of_file {
                self.answer(number, answer.clone());
            }
        }
        self.plan.repair.described = Receipt::new(files)?;
        Ok(())
    }

    /// An answer for a finding, unless one of its entries has none.
    fn answer(&mut self, number: usize, answer: Answer) {
        if !matches!(self.done.get(&number), Some(Err(_))) {
            self.done.insert(number, answer);
        }
    }

    /// A vector whose data file is not live goes, unless its Puffin file names another one.
    fn dangling_vector(&mut self, number: usize, target: &Target) -> Result<()> {
        let file = &target.entry.data_file;
        let store = self.table.store().as_ref();
        let location = self.table.relocation().apply(&file.file_path);
        let place = (file.content_offset, file.content_size_in_bytes);
        let named = file.referenced_data_file.as_deref().unwrap_or_default();
        let answer = if let Some(why) = why_vector_stays(store, &location, place, named)? {
            Err(why)
        } else {
            self.plan.repair.without_dangling_vectors = true;
            Ok("the vector is removed".to_owned())
        };
        self.answer(number, answer);
        Ok(())
    }

    /// What an entry has against its status.
    fn entry(&mut self, number: usize, target: &Target) {
        use floeberg_iceberg::manifest::EntryStatus as S;
        let is_mended = matches!(
            (self.findings[number].rule.id, target.entry.status),
            (_, S::Deleted) | ("entry-snapshot" | "entry-file-sequence", S::Added)
        );
        if is_mended {
            self.plan.repair.manifests.insert(target.manifest.clone());
            self.answer(number, Ok("the manifest is written again".to_owned()));
        } else {
            self.answer(number, Err("nothing says what is right".to_owned()));
        }
    }

    fn give_up(&mut self, number: usize, target: &Target) {
        let file = &target.entry.data_file;
        let is_data = file.content == FileContent::Data;
        let (is_asked, name) = if is_data {
            (self.choice.drops_missing_data_files, "drop_missing_data_files")
        } else {
            (self.choice.drops_missing_delete_files, "drop_missing_delete_files")
        };
        if !is_asked {
            return self.answer(number, Err(format!("the file is gone: {name}=True gives it up")));
        }
        let rows = file.record_count.max(0);
        self.plan.repair.given_up_files.insert(file.file_path.clone());
        self.plan.gone.push(GoneFile {
            location: file.file_path.clone(),
            content: match file.content {
                FileContent::Data => "data",
                FileContent::PositionDeletes => "position deletes",
                FileContent::EqualityDeletes => "equality deletes",
            },
            files: 1,
            lost_rows: if is_data { rows } else { 0 },
            returned_rows: match file.content {
                FileContent::Data => Some(0),
                FileContent::PositionDeletes => Some(rows),
                FileContent::EqualityDeletes => None,
            },
        });
        self.answer(number, Ok("the file is given up".to_owned()));
    }
}

fn gone_manifest(manifest: &ManifestFile) -> GoneFile {
    let sum = |counts: [Option<i64>; 2]| counts.into_iter().flatten().fold(0, i64::saturating_add);
    let rows = sum([manifest.added_rows_count, manifest.existing_rows_count]);
    let is_data = manifest.content == ManifestContent::Data;
    GoneFile {
        location: manifest.manifest_path.clone(),
        content: if is_data { "data manifest" } else { "delete manifest" },
        files: sum([manifest.added_files_count, manifest.existing_files_count]),
        lost_rows: if is_data { rows } else { 0 },
        returned_rows: is_data.then_some(0),
    }
}
