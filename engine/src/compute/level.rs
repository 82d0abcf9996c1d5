//! Which instructions does this processor have?
//!
//! A kernel is written once, as plain loops that are its specification, and compiled three times: for any processor,
//! for AVX2 and for AVX-512. Which one runs is decided when the program runs, so that one binary serves all. The loops
//! never change the order of additions, so all three give the same bits. (On ARM the plain loops are NEON already.)

use std::sync::OnceLock;

/// A set of instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// What every processor of the architecture has.
    Plain,
    /// 256-bit vectors.
    Avx2,
    /// 512-bit vectors.
    Avx512,
}

/// The best level that this processor has, or the one that `LINKNBED_SIMD` asks for (`plain`, `avx2`, `avx512`) if the
/// processor has it.
pub fn level() -> Level {
    static LEVEL: OnceLock<Level> = OnceLock::new();
    *LEVEL.get_or_init(|| {
        let most = detected();
        match std::env::var("LINKNBED_SIMD").as_deref() {
            Ok("plain") => Level::Plain,
            Ok("avx2") => most.min(Level::Avx2),
            _ => most,
        }
    })
}

/// Whether units that go beyond sets of instructions may be used: not where `LINKNBED_SIMD` asks for one of these.
#[cfg(target_arch = "x86_64")]
pub(super) fn units_are_welcome() -> bool {
    std::env::var_os("LINKNBED_SIMD").is_none()
}

#[cfg(target_arch = "x86_64")]
fn detected() -> Level {
    if is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512bw")
    {
        Level::Avx512
    } else if is_x86_feature_detected!("avx2") {
        Level::Avx2
    } else {
        Level::Plain
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn detected() -> Level {
    Level::Plain
}

/// Compiles a function over [`Real`](super::Real) numbers for each level and chooses when it is called.
///
/// Choosing costs a few nanoseconds, so a kernel does the work of many rows.
macro_rules! kernel {
    ($(#[$doc:meta])* pub fn $name:ident($($arg:ident: $kind:ty),* $(,)?) $(-> $result:ty)? $body:block) => {
        $(#[$doc])*
        #[allow(unsafe_code, clippy::too_many_arguments)]
        #[allow(unreachable_pub)]
        pub fn $name<T: $crate::compute::Real>($($arg: $kind),*) $(-> $result)? {
            #[inline(always)]
            fn plain<T: $crate::compute::Real>($($arg: $kind),*) $(-> $result)? $body

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2")]
                fn avx2<T: $crate::compute::Real>($($arg: $kind),*) $(-> $result)? {
                    plain($($arg),*)
                }

                #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw")]
                fn avx512<T: $crate::compute::Real>($($arg: $kind),*) $(-> $result)? {
                    plain($($arg),*)
                }

                match $crate::compute::level::level() {
                    // SAFETY: the level says that the processor has these instructions.
                    $crate::compute::level::Level::Avx512 => return unsafe { avx512($($arg),*) },
                    // SAFETY: likewise.
                    $crate::compute::level::Level::Avx2 => return unsafe { avx2($($arg),*) },
                    $crate::compute::level::Level::Plain => {}
                }
            }
            plain($($arg),*)
        }
    };
}

pub(crate) use kernel;
