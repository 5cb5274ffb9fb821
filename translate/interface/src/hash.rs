//! The hash that distinguishes contents where no attacker chooses them: 64-bit FNV-1a.
//!
//! It is short, a `const fn`, and the same on every machine and in every build, so its results can be stored.
//! It does not protect against malice; the cache of compiled programs uses a cryptographic hash.

/// FNV-1a of `bytes`.
#[must_use]
pub const fn fnv1a(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u64).wrapping_mul(0x0000_0100_0000_01b3);
        at += 1;
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::fnv1a;

    /// The values that the function's authors publish.
    #[test]
    fn known_values() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
