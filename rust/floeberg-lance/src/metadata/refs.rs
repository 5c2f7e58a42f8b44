//! Which tags and branches does a table have?
//!
//! In: files below `_refs`. Out: tags and branches with the versions that they name, and back.
//! Spec: Lance, `dataset/refs.rs`.
//!
//! Invariant: keys of their JSON that this version does not know are kept.

use std::fmt::Write as _;

use floeberg_core::{Context as _, Error, Result};
use floeberg_io::{Store, location};
use serde_json::{Map, Value as Json};

use super::listing::entries;

/// The branch that has no name in manifests.
pub const MAIN: &str = "main";
pub(crate) const TAGS: &str = "_refs/tags";
pub(crate) const BRANCHES: &str = "_refs/branches";
/// The folders of a table, or of a branch.
const FOLDERS: [&str; 7] = ["_versions", "_transactions", "_deletions", "_indices", "_refs", "data", "tree"];
/// What file systems allow of a name.
const LONGEST: usize = 255;
/// Refs are small; what is larger is something else.
const LARGEST: u64 = 1 << 20;

/// A name for a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    /// The name.
    pub name: String,
    /// The branch of the version; `None` is the main one.
    pub branch: Option<String>,
    /// The version.
    pub version: u64,
    /// All that the file says.
    pub json: Map<String, Json>,
}

/// A line of versions beside the main one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// The name. Slashes may be in it.
    pub name: String,
    /// The branch that it came from; `None` is the main one.
    pub parent_branch: Option<String>,
    /// The version that it came from.
    pub parent_version: u64,
    /// When it was made, in seconds since 1970.
    pub created_at: u64,
    /// All that the file says.
    pub json: Map<String, Json>,
}

impl Branch {
    /// What distinguishes it from another branch of its name: from where it came, its id, and when.
    pub(crate) fn identity(&self) -> String {
        let keys = ["parentBranch", "parentVersion", "createAt", "identifier"];
        keys.map(|key| get(&self.json, key).unwrap_or(&Json::Null).to_string()).join(" ")
    }
}

/// All tags, by name. Errors: `InvalidData`, naming the file; those of the store.
pub fn tags(store: &dyn Store, root: &str) -> Result<Vec<Tag>> {
    names(store, &location::join(root, TAGS))?.into_iter().map(|name| tag(store, root, &name)).collect()
}

/// The tag of a name. Errors: `NotFound`; those of [`tags`].
pub fn tag(store: &dyn Store, root: &str, name: &str) -> Result<Tag> {
    check_tag(name)?;
    let path = tag_path(root, name);
    let missing = || Error::not_found(format!("the table has no tag {name:?}"));
    let json = read(store, &path, missing)?;
    parse_tag(name, json).context("path", &path)
}

/// All branches but the main one, by name. Errors: those of [`tags`].
pub fn branches(store: &dyn Store, root: &str) -> Result<Vec<Branch>> {
    let names = names(store, &location::join(root, BRANCHES))?;
    names.into_iter().map(|name| branch(store, root, &name)).collect()
}

/// The branch of a name. Errors: `NotFound`; those of [`tags`].
pub fn branch(store: &dyn Store, root: &str, name: &str) -> Result<Branch> {
    check_branch(name)?;
    let path = branch_path(root, name);
    let missing = || Error::not_found(format!("the table has no branch {name:?}"));
    let json = read(store, &path, missing)?;
    parse_branch(name, json).context("path", &path)
}

/// Where a tag is written.
pub fn tag_path(root: &str, name: &str) -> String {
    location::join(root, &format!("{TAGS}/{}.json", escaped(name)))
}

/// Where a branch is written.
pub fn branch_path(root: &str, name: &str) -> String {
    location::join(root, &format!("{BRANCHES}/{}.json", escaped(name)))
}

/// The folder of a branch.
pub fn branch_folder(root: &str, branch: Option<&str>) -> String {
    match branch {
        None | Some(MAIN) => root.to_owned(),
        Some(name) => location::join(root, &format!("tree/{name}")),
    }
}

fn parse_tag(name: &str, json: Map<String, Json>) -> Result<Tag> {
    let branch = text(&json, "branch")?.filter(|branch| branch != MAIN);
    // Its folder is named by it.
    if branch.as_deref().is_some_and(|branch| check_branch(branch).is_err()) {
        let message = format!("expected the name of a branch in `branch`, found {branch:?}");
        return Err(Error::invalid_data(message));
    }
    Ok(Tag { name: name.to_owned(), branch, version: number(&json, "version")?, json })
}

fn parse_branch(name: &str, json: Map<String, Json>) -> Result<Branch> {
    Ok(Branch {
        name: name.to_owned(),
        parent_branch: text(&json, "parentBranch")?.filter(|branch| branch != MAIN),
        parent_version: number(&json, "parentVersion")?,
        created_at: number(&json, "createAt")?,
        json,
    })
}

/// A key in camel case, or in snake case as older writers have it.
fn get<'a>(json: &'a Map<String, Json>, key: &str) -> Option<&'a Json> {
    let snake = || {
        key.chars().fold(String::new(), |mut snake, letter| {
            if letter.is_ascii_uppercase() {
                snake.push('_');
            }
            snake.push(letter.to_ascii_lowercase());
            snake
        })
    };
    json.get(key).or_else(|| json.get(&snake()))
}

fn text(json: &Map<String, Json>, key: &str) -> Result<Option<String>> {
    match get(json, key) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(Error::invalid_data(format!("expected a text or null in `{key}`"))),
    }
}

fn number(json: &Map<String, Json>, key: &str) -> Result<u64> {
    let found = get(json, key).and_then(Json::as_u64);
    found.ok_or_else(|| Error::invalid_data(format!("expected a number in `{key}`")))
}

fn names(store: &dyn Store, folder: &str) -> Result<Vec<String>> {
    let mut names = ref_files(store, folder)?
        .into_iter()
        .map(|(file, name)| {
            name.ok_or_else(|| {
                Error::invalid_data("expected a file that is named by a tag or a branch, found another")
                    .with("path", location::join(folder, &file))
            })
        })
        .collect::<Result<Vec<_>>>()?;
    names.sort();
    Ok(names)
}

/// The files of tags, or of branches, in a folder, each with the name that it is of; `None` where no name is escaped so.
pub(crate) fn ref_files(store: &dyn Store, folder: &str) -> Result<Vec<(String, Option<String>)>> {
    // A name that begins with a dot is what a crash left of a write.
    let files =
        entries(store, folder)?.into_iter().filter(|entry| !entry.is_folder && !entry.name.starts_with('.'));
    let named = files.filter_map(|entry| {
        let name = unescaped(entry.name.strip_suffix(".json")?);
        Some((entry.name, name))
    });
    Ok(named.collect())
}

/// A name as files have it: slashes and what is not ASCII in percent. Folders of branches have it as it is.
fn escaped(name: &str) -> String {
    name.bytes().fold(String::with_capacity(name.len()), |mut escaped, byte| {
        if byte.is_ascii() && byte != b'/' {
            escaped.push(char::from(byte));
        } else {
            let _ = write!(escaped, "%{byte:02X}");
        }
        escaped
    })
}

/// The name of a file's name; `None` where no name is escaped so.
fn unescaped(stem: &str) -> Option<String> {
    let (mut bytes, mut rest) = (Vec::with_capacity(stem.len()), stem.as_bytes());
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first == b'%' {
            let digits = std::str::from_utf8(after.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &after[2..];
        } else {
            bytes.push(*first);
        }
    }
    String::from_utf8(bytes).ok().filter(|name| escaped(name) == stem)
}

fn read(store: &dyn Store, path: &str, missing: impl Fn() -> Error) -> Result<Map<String, Json>> {
    let bytes = store.open(path).and_then(|source| source.read_all(LARGEST)).map_err(|error| {
        if error.kind() == floeberg_core::ErrorKind::NotFound { missing().with("path", path) } else { error }
    })?;
    serde_json::from_slice(&bytes).map_err(|error| {
        Error::invalid_data("expected a JSON object of a ref").caused_by(error).with("path", path)
    })
}

/// Checks that a tag may have a name. Errors: `InvalidInput`.
pub fn check_tag(name: &str) -> Result<()> {
    if is_segment(name) && !name.starts_with('.') && !name.ends_with('.') && is_ref(name) {
        return Ok(());
    }
    Err(Error::invalid_input(format!(
        "expected a tag of letters, digits, `.`, `-` and `_`, without two dots, one at an end, or `.lock` at the end, found {name:?}"
    )))
}

/// Checks that a branch may have a name. Errors: `InvalidInput`.
pub fn check_branch(name: &str) -> Result<()> {
    if name != MAIN && name.split('/').all(is_segment) && is_ref(name) {
        return Ok(());
    }
    Err(Error::invalid_input(format!(
        "expected a branch other than `main`, of letters, digits, `.`, `-`, `_` and single slashes, without two dots or `.lock` \
         at the end, found {name:?}"
    )))
}

/// Checks that a branch may be made with a name: its folder is no other's, and no folder of a branch's files.
///
/// A name that lacks only this is read, since others may have made the branch. Errors: `InvalidInput`.
pub fn check_new_branch(name: &str) -> Result<()> {
    check_branch(name)?;
    let mut segments = name.split('/');
    // Two names would be of one folder.
    if segments.clone().any(|segment| segment == ".") {
        let message = format!("expected a branch without a part that is `.`, found {name:?}");
        return Err(Error::invalid_input(message));
    }
    // `tree/a/data` has the data files of the branch `a`.
    if let Some(taken) = segments.nth(1).into_iter().chain(segments).find(|part| FOLDERS.contains(part)) {
        let message = format!(
            "expected a branch whose folder is no folder of files, found {name:?}: `{taken}` is one of {}",
            FOLDERS.join(", ")
        );
        return Err(Error::invalid_input(message));
    }
    check_length(name, "a branch")
}

/// Checks that a tag may be made with a name. Errors: `InvalidInput`.
pub fn check_new_tag(name: &str) -> Result<()> {
    check_tag(name)?;
    check_length(name, "a tag")
}

fn check_length(name: &str, what: &str) -> Result<()> {
    let length = escaped(name).len() + ".json".len();
    if length <= LONGEST {
        return Ok(());
    }
    Err(Error::invalid_input(format!(
        "expected {what} whose file has a name of at most {LONGEST} bytes, found one of {length}"
    )))
}

fn is_segment(name: &str) -> bool {
    !name.is_empty()
        && name.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '.' | '-' | '_'))
}

fn is_ref(name: &str) -> bool {
    let is_lock = name.as_bytes().ends_with(b".lock");
    !name.contains("..") && !is_lock
}
