//! The cache on disk.

use super::report::{Line, Mark, Section};
use clvk::DiskCache;
use std::path::PathBuf;

/// What is known of the cache.
pub struct Cache {
    folder: PathBuf,
    /// Bytes in it.
    size: u64,
    /// Bytes that it may have.
    limit: u64,
    /// Why it cannot be written.
    problem: Option<String>,
}

/// The user's cache; `None` if there is none.
pub fn find() -> Option<Cache> {
    let cache = DiskCache::of_user()?;
    let problem = cache.check_writable().err().map(|error| error.to_string());
    Some(Cache { folder: cache.folder().to_owned(), size: cache.size(), limit: cache.limit(), problem })
}

/// The judgement.
pub fn judge(cache: &Option<Cache>) -> Section {
    let line = match cache {
        None => Line::new(Mark::Warn, "off: kernels are compiled anew in each process")
            .remedy("unset CLVK_CACHE, and set HOME or CLVK_CACHE_DIR"),
        Some(Cache { folder, problem: Some(problem), .. }) => {
            let text = format!(
                "{} cannot be written ({problem}): kernels are compiled anew in each process",
                folder.display()
            );
            Line::new(Mark::Warn, text).remedy("export CLVK_CACHE_DIR=FOLDER that can be written")
        }
        Some(Cache { folder, size, limit, .. }) => {
            let mib = |bytes: u64| bytes.div_ceil(1 << 20);
            Line::new(
                Mark::Ok,
                format!("{}, {} of at most {} MiB", folder.display(), mib(*size), mib(*limit)),
            )
        }
    };
    Section { title: "Cache of compiled kernels", lines: vec![line] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cache_that_cannot_be_written_is_a_warning_with_a_remedy() {
        let cache = |problem: Option<&str>| {
            Some(Cache { folder: "/x".into(), size: 1, limit: 1 << 30, problem: problem.map(str::to_owned) })
        };
        assert_eq!(judge(&cache(None)).lines[0].text, "/x, 1 of at most 1024 MiB");
        let line = &judge(&cache(Some("Read-only file system"))).lines[0];
        assert!(line.mark == Mark::Warn && line.text.contains("Read-only"));
        assert!(line.remedy.as_ref().unwrap().contains("CLVK_CACHE_DIR"));
        assert_eq!(judge(&None).lines[0].mark, Mark::Warn);
    }
}
