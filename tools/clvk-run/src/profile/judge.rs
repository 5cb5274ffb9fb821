//! One sentence on what limits a kernel.

use super::peaks::Peaks;
use super::work::Work;

/// What the sentence is made of.
pub struct Facts<'a> {
    /// What the kernel did.
    pub work: &'a Work,
    /// What the device can do.
    pub peaks: &'a Peaks,
    /// The kernel's time in nanoseconds.
    pub ns: f64,
    /// Registers that went to memory.
    pub spills: u64,
    /// Whether work-items wait for each other.
    pub waits: bool,
}

/// Below this a launch takes about as long as one that does nothing, in nanoseconds.
const TINY: f64 = 10e3;

/// A part as a percentage.
pub fn percent(part: f64) -> String {
    format!("{:.0}%", part * 100.0)
}

/// What limits the kernel, without a full stop.
pub fn limit(facts: &Facts<'_>) -> String {
    let Facts { work, peaks, ns, .. } = facts;
    let seconds = ns / 1e9;
    let bandwidth = work.global() / seconds / peaks.bytes;
    let arithmetic = (work.floating + work.integer) / seconds / peaks.operations;
    let active = work.active.unwrap_or(1.0);
    let used = work.needed_lines.unwrap_or(1.0);
    let passes = work.bank_passes.unwrap_or(1.0);
    if *ns < TINY {
        return "the launch is too short to be limited by the device: give each launch more work".to_owned();
    }
    let rest = format!(
        "it reaches {} of the bandwidth and {} of the operations",
        percent(bandwidth),
        percent(arithmetic)
    );
    if used < 0.5 && arithmetic < 0.5 {
        return format!(
            "scattered accesses: sub-groups need {} of the cache lines that they reach ({rest})",
            percent(used)
        );
    }
    if bandwidth >= 0.6 && bandwidth >= arithmetic {
        return match bandwidth > 1.05 {
            true => format!(
                "memory, with the help of caches: it asks for {} of the bytes that a copy moves in that time",
                percent(bandwidth)
            ),
            false => format!(
                "the bandwidth of global memory: it reaches {}, and only fewer bytes make it faster",
                percent(bandwidth)
            ),
        };
    }
    if arithmetic >= 0.5 {
        return format!("arithmetic: it reaches {} of the device's operations a second", percent(arithmetic));
    }
    if active < 0.6 {
        return format!("divergence: only {} of the work-items are active ({rest})", percent(active));
    }
    if passes >= 2.0 {
        return format!(
            "conflicts in local memory: accesses take {passes:.1} times as many passes as they need ({rest})"
        );
    }
    if facts.spills > 0 {
        return format!("registers: {} went to memory ({rest})", facts.spills);
    }
    if work.special * 4.0 > work.floating + work.integer && work.special > 0.0 {
        return format!("functions with few units, such as roots and sines ({rest})");
    }
    match facts.waits {
        true => {
            format!("waiting: for memory, or at barriers ({rest}); more or smaller work-groups may hide it")
        }
        false => format!("waiting for memory or for results ({rest}); more independent work may hide it"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence(work: &Work, ns: f64) -> String {
        let peaks = &Peaks { bytes: 1e11, operations: 1e12 };
        limit(&Facts { work, peaks, ns, spills: 0, waits: false })
    }

    #[test]
    fn the_sentence_names_the_limit() {
        let copy = Work { read: 4e7, written: 4e7, needed_lines: Some(1.0), ..Work::default() };
        assert!(sentence(&copy, 1e6).contains("bandwidth of global memory: it reaches 80%"));
        assert!(sentence(&copy, 1e3).contains("too short"));
        let scattered = Work { needed_lines: Some(0.06), ..copy.clone() };
        assert!(sentence(&scattered, 1e6).starts_with("scattered accesses"));
        assert!(sentence(&scattered, 1e7).starts_with("scattered accesses: sub-groups need 6%"));
        let heavy = Work { floating: 7e8, ..copy.clone() };
        assert!(sentence(&heavy, 1.2e6).starts_with("the bandwidth"), "{}", sentence(&heavy, 1.2e6));
        assert!(
            sentence(&Work { floating: 7e8, ..Work::default() }, 1e6)
                .starts_with("arithmetic: it reaches 70%")
        );
        let divergent = Work { active: Some(0.25), ..copy };
        assert!(sentence(&divergent, 1e7).starts_with("divergence: only 25%"));
    }
}
