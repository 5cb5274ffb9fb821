//! A cache on disk that processes share: bytes, keyed by a hash of what they were made from.
//!
//! The compiler caches translations in it, the runtime pipelines. It is a crate of its own below both, so
//! that neither needs the other. It does not know what the bytes mean.
//!
//! An entry is a file named by its key. It is written to a temporary file and renamed, so it is either
//! complete or absent, whatever happens to the writer. A checksum reveals entries that something else has
//! damaged; they are removed. When the entries exceed the limit, the least recently used ones are removed. A
//! failure of the cache is never an error: what is not found is made again.
//!
//! An entry that processes add to has several files (`parts`).
#![forbid(unsafe_code)]

mod parts;

use sha2::{Digest, Sha256};
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, SystemTime};

pub use parts::Part;

/// First bytes of an entry; the last one is the version of the format.
const MAGIC: [u8; 8] = *b"CLVKCAC\x01";

/// Magic, length of the data, checksum.
const HEADER: usize = 8 + 8 + 32;

/// Default limit for all entries in bytes, if `CLVK_CACHE_SIZE` is not set.
const DEFAULT_LIMIT: u64 = 1 << 30;

/// The fraction of the limit to which entries are trimmed.
const KEPT: f64 = 0.8;

/// Additions between two measurements of the cache's size.
const ADDITIONS: u64 = 64;

/// Age at which a temporary file counts as abandoned.
const ABANDONED: Duration = Duration::from_secs(3600);

/// What an entry was made from: a hash over everything that decides its contents.
#[derive(Clone)]
pub struct CacheKey {
    hash: Sha256,
}

impl CacheKey {
    /// The key of a kind of entry ("spirv", "pipeline").
    #[must_use]
    pub fn new(kind: &str) -> Self {
        CacheKey { hash: Sha256::new() }.with(kind.as_bytes())
    }

    /// Adds bytes to the key. `with(a).with(b)` differs from `with(ab)`.
    #[must_use]
    pub fn with(mut self, bytes: &[u8]) -> Self {
        self.hash.update((bytes.len() as u64).to_le_bytes());
        self.hash.update(bytes);
        self
    }

    fn name(&self) -> String {
        hexadecimal(&self.hash.clone().finalize())
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl fmt::Debug for CacheKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CacheKey({})", self.name())
    }
}

/// See the module.
#[derive(Debug)]
pub struct DiskCache {
    folder: PathBuf,
    limit: u64,
    additions: AtomicU64,
}

impl DiskCache {
    /// The user's cache: in `CLVK_CACHE_DIR`, else in `clvk` in the XDG cache directory, of at most
    /// `CLVK_CACHE_SIZE` MiB; `None` if `CLVK_CACHE` is 0 or there is no such directory.
    #[must_use]
    pub fn of_user() -> Option<Self> {
        // Relative paths must be ignored (XDG Base Directory Specification).
        let path = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        if std::env::var_os("CLVK_CACHE").is_some_and(|value| value == "0") {
            return None;
        }
        let own = std::env::var_os("CLVK_CACHE_DIR").filter(|folder| !folder.is_empty());
        let folder = own
            .and_then(|folder| std::path::absolute(folder).ok())
            .or_else(|| path("XDG_CACHE_HOME").map(|cache| cache.join("clvk")))
            .or_else(|| path("HOME").map(|home| home.join(".cache/clvk")))?;
        let size = std::env::var("CLVK_CACHE_SIZE").ok().and_then(|text| text.parse::<u64>().ok());
        Some(DiskCache::new(&folder, size.map_or(DEFAULT_LIMIT, |size| size.saturating_mul(1 << 20))))
    }

    /// [`DiskCache::of_user`], once for the process.
    #[must_use]
    pub fn shared() -> Option<Arc<Self>> {
        static SHARED: LazyLock<Option<Arc<DiskCache>>> =
            LazyLock::new(|| DiskCache::of_user().map(Arc::new));
        SHARED.clone()
    }

    /// A cache in a folder, which need not exist, of at most `limit` bytes.
    #[must_use]
    pub fn new(folder: &Path, limit: u64) -> Self {
        DiskCache { folder: folder.to_owned(), limit, additions: AtomicU64::new(0) }
    }

    /// Where the entries are; the folder need not exist.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The most bytes that the entries may have.
    #[must_use]
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// The bytes that the entries have now, as far as they can be read.
    #[must_use]
    pub fn size(&self) -> u64 {
        files(&self.folder).map_or(0, |files| files.map(|(_, data)| data.len()).sum())
    }

    /// Whether an entry can be added: makes the folder, and writes and removes a file in it.
    ///
    /// # Errors
    /// Why it cannot.
    pub fn check_writable(&self) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let file = self.folder.join(format!("{}-check.tmp", std::process::id()));
        let written = File::create(&file).and_then(|mut file| file.write_all(b"x"));
        let _ = fs::remove_file(&file);
        written
    }

    /// The data of an entry, if it is there and undamaged.
    #[must_use]
    pub fn get(&self, key: &CacheKey) -> Option<Vec<u8>> {
        self.read(&self.path(key)).ok().flatten()
    }

    /// The data of a file; `None` if it was damaged, and is removed.
    fn read(&self, path: &Path) -> io::Result<Option<Vec<u8>>> {
        let mut file = File::open(path)?;
        match read_entry(&mut file, self.limit) {
            Ok(Some(data)) => {
                // Marks the entry as used now. If that fails, it is removed sooner.
                let _ = file.set_modified(SystemTime::now());
                Ok(Some(data))
            }
            Ok(None) => {
                tracing::warn!(?path, "removed a damaged cache entry");
                let _ = fs::remove_file(path);
                Ok(None)
            }
            Err(error) => {
                tracing::debug!(%error, ?path, "a cache entry cannot be read");
                Err(error)
            }
        }
    }

    /// Adds an entry, or replaces it.
    pub fn put(&self, key: &CacheKey, data: &[u8]) {
        self.put_file(&self.path(key), data);
    }

    /// Returns whether the file was written.
    fn put_file(&self, path: &Path, data: &[u8]) -> bool {
        if data.len() as u64 > self.limit / 4 {
            return false;
        }
        if let Err(error) = self.write(path, data) {
            tracing::debug!(%error, folder = ?self.folder, "the cache cannot be written");
            return false;
        }
        if self.additions.fetch_add(1, Ordering::Relaxed).is_multiple_of(ADDITIONS)
            && let Err(error) = self.trim()
        {
            tracing::debug!(%error, folder = ?self.folder, "the cache cannot be trimmed");
        }
        true
    }

    /// Entries are spread over 256 folders.
    fn path(&self, key: &CacheKey) -> PathBuf {
        let name = key.name();
        self.folder.join(&name[..2]).join(&name[2..])
    }

    fn write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let folder = path.parent().unwrap_or(&self.folder);
        fs::create_dir_all(folder)?;
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let temporary = folder.join(format!("{}-{number}.tmp", std::process::id()));
        let written = write_entry(&temporary, data).and_then(|()| fs::rename(&temporary, path));
        if written.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        written
    }

    /// Removes the least recently used entries, and temporary files of writers that were stopped.
    fn trim(&self) -> io::Result<()> {
        let now = SystemTime::now();
        let mut entries = Vec::new();
        for (path, data) in files(&self.folder)? {
            let used = data.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            if path.extension().is_none_or(|end| end != "tmp") {
                entries.push((used, data.len(), path));
            } else if now.duration_since(used).is_ok_and(|age| age > ABANDONED) {
                let _ = fs::remove_file(path);
            }
        }
        let mut total: u64 = entries.iter().map(|(_, size, _)| size).sum();
        if total <= self.limit {
            return Ok(());
        }
        entries.sort();
        for (_, size, path) in entries {
            if total as f64 <= self.limit as f64 * KEPT {
                break;
            }
            let _ = fs::remove_file(path);
            total -= size;
        }
        Ok(())
    }
}

/// The files of a cache: entries and temporary ones. Those that another process removes meanwhile are left
/// out.
fn files(folder: &Path) -> io::Result<impl Iterator<Item = (PathBuf, fs::Metadata)>> {
    let folders = fs::read_dir(folder)?.flatten();
    let files = folders.filter_map(|folder| fs::read_dir(folder.path()).ok()).flat_map(Iterator::flatten);
    Ok(files.filter_map(|file| Some((file.path(), file.metadata().ok()?))))
}

fn write_entry(path: &Path, data: &[u8]) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    let mut header = Vec::with_capacity(HEADER);
    header.extend_from_slice(&MAGIC);
    header.extend_from_slice(&(data.len() as u64).to_le_bytes());
    header.extend_from_slice(&Sha256::digest(data));
    file.write_all(&header)?;
    file.write_all(data)
}

/// The data of an entry; `None` if it is damaged.
fn read_entry(file: &mut File, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let size = file.metadata()?.len();
    if size < HEADER as u64 || size > limit.saturating_add(HEADER as u64) {
        return Ok(None);
    }
    let mut bytes = Vec::with_capacity(size as usize);
    file.take(size).read_to_end(&mut bytes)?;
    if bytes.len() < HEADER {
        return Ok(None);
    }
    let data = bytes.split_off(HEADER);
    let length = (data.len() as u64).to_le_bytes();
    let intact = bytes[..8] == MAGIC && bytes[8..16] == length && bytes[16..] == Sha256::digest(&data)[..];
    Ok(intact.then_some(data))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A temporary folder, removed at the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("clvk-cache-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&path);
            Folder(path)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn key(number: u64) -> CacheKey {
        CacheKey::new("test").with(&number.to_le_bytes())
    }

    #[test]
    fn keys_tell_their_parts_apart() {
        let name = |parts: &[&[u8]]| parts.iter().fold(CacheKey::new("k"), |key, part| key.with(part)).name();
        assert_ne!(name(&[b"ab", b"c"]), name(&[b"a", b"bc"]));
        assert_ne!(name(&[b"a"]), name(&[b"a", b""]));
        assert_ne!(CacheKey::new("a").with(b"x").name(), CacheKey::new("b").with(b"x").name());
        assert_eq!(name(&[b"ab", b"c"]), name(&[b"ab", b"c"]));
    }

    #[test]
    fn entries_come_back_until_they_are_damaged() {
        let folder = Folder::new("damage");
        let cache = DiskCache::new(&folder.0, 1 << 20);
        let data: Vec<u8> = (0..100).collect();
        assert_eq!(cache.get(&key(1)), None);
        cache.put(&key(1), &data);
        cache.put(&key(2), &[]);
        assert_eq!(cache.get(&key(1)).as_deref(), Some(&data[..]));
        assert_eq!(cache.get(&key(2)).as_deref(), Some(&[][..]));
        let path = cache.path(&key(1));
        let whole = fs::read(&path).unwrap();
        // Cut off anywhere, or with any byte changed.
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            assert_eq!(cache.get(&key(1)), None, "cut off at {length}");
            assert!(!path.exists(), "the damaged entry is gone");
        }
        for index in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[index] ^= 0x10;
            fs::write(&path, &bytes).unwrap();
            assert_eq!(cache.get(&key(1)), None, "byte {index} changed");
        }
        fs::write(&path, [&whole[..], b"more"].concat()).unwrap();
        assert_eq!(cache.get(&key(1)), None);
        cache.put(&key(1), &data);
        assert_eq!(cache.get(&key(1)).as_deref(), Some(&data[..]));
    }

    #[test]
    fn parts_stay_until_they_are_merged() {
        let folder = Folder::new("parts");
        let cache = DiskCache::new(&folder.0, 1 << 20);
        let names = |known: &[Part]| -> Vec<Part> {
            cache.new_parts(&key(1), known).into_iter().map(|(part, _)| part).collect()
        };
        cache.put(&key(1), &[0]);
        let old = names(&[]);
        // Two processes that both know the old file.
        let one = cache.add_part(&key(1), &[0, 1], &old).unwrap();
        let other = cache.add_part(&key(1), &[0, 2], &old).unwrap();
        assert_eq!(names(std::slice::from_ref(&one)), std::slice::from_ref(&other));
        assert_eq!(cache.get(&key(1)), None, "the old file is merged");
        // The same contents again change nothing.
        assert_eq!(cache.add_part(&key(1), &[0, 2], std::slice::from_ref(&other)), Some(other.clone()));
        let both = cache.add_part(&key(1), &[0, 1, 2], &[one, other]).unwrap();
        assert_eq!(names(&[]), std::slice::from_ref(&both));
        // What cannot be written removes nothing.
        assert_eq!(cache.add_part(&key(1), &vec![0; 1 << 19], std::slice::from_ref(&both)), None);
        assert_eq!(cache.new_parts(&key(1), &[]), [(both, vec![0, 1, 2])]);
    }

    #[test]
    fn what_was_not_used_for_longest_goes() {
        let folder = Folder::new("limit");
        let cache = DiskCache::new(&folder.0, 100_000);
        let data = vec![7; 1000];
        for number in 0..90 {
            cache.put(&key(number), &data);
            let old = SystemTime::now() - Duration::from_secs(1000 - number);
            File::open(cache.path(&key(number))).unwrap().set_modified(old).unwrap();
        }
        assert!(cache.get(&key(0)).is_some(), "the oldest is used now");
        for number in 90..130 {
            cache.put(&key(number), &data);
        }
        cache.trim().unwrap();
        let kept = (0..130).filter(|&number| cache.get(&key(number)).is_some()).count();
        assert!((60..=90).contains(&kept), "{kept} entries of 1,048 bytes are within 100,000");
        assert!(cache.get(&key(0)).is_some() && cache.get(&key(1)).is_none());
        assert!(cache.get(&key(129)).is_some());
    }

    #[test]
    fn abandoned_temporary_files_go() {
        let folder = Folder::new("temporary");
        let cache = DiskCache::new(&folder.0, 100_000);
        cache.put(&key(1), &[1]);
        let place = cache.path(&key(1)).parent().unwrap().to_owned();
        let (old, new) = (place.join("1-1.tmp"), place.join("1-2.tmp"));
        fs::write(&old, b"x").unwrap();
        fs::write(&new, b"x").unwrap();
        File::open(&old).unwrap().set_modified(SystemTime::now() - 2 * ABANDONED).unwrap();
        cache.trim().unwrap();
        assert!(!old.exists() && new.exists());
    }

    #[test]
    fn the_size_is_that_of_the_files_and_a_folder_tells_whether_it_can_be_written() {
        let folder = Folder::new("size");
        let cache = DiskCache::new(&folder.0, 100_000);
        assert_eq!(cache.size(), 0);
        cache.check_writable().unwrap();
        cache.put(&key(1), &[0; 100]);
        cache.put(&key(2), &[0; 50]);
        assert_eq!(cache.size(), 150 + 2 * HEADER as u64);
        assert!(DiskCache::new(Path::new("/proc/none"), 1000).check_writable().is_err());
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_no_error() {
        let cache = DiskCache::new(Path::new("/proc/none"), 1000);
        cache.put(&key(1), &[1]);
        assert_eq!(cache.get(&key(1)), None);
    }
}
