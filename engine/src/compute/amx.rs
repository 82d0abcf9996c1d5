//! How are products of halves computed where the processor has a unit for matrices?
//!
//! Intel's AMX multiplies sixteen rows of thirty-two halves with as many columns in one instruction, eight times as fast
//! as vectors do. The compiler knows these instructions in assembly alone. Both sides lie as for the tiles of `tile`, but
//! the inner sum is filled up to a multiple of [`PAIRS`], and the rows of the left side to one of [`BLOCK`], with zeros.

use std::arch::asm;
use std::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};
use std::sync::OnceLock;

use super::level::units_are_welcome;
use super::tile::COLUMNS;

/// Rows, and columns, of one of the unit's tiles.
const ROWS: usize = 16;
/// Pairs of halves in a row of one.
pub(super) const PAIRS: usize = 16;
/// Rows, and columns, that are summed at a time: two tiles of each side, and four of sums, of eight that there are.
pub(super) const BLOCK: usize = 2 * ROWS;

/// Whether the processor has the unit, and the system lets this process use it.
pub(super) fn has_unit() -> bool {
    static HAS: OnceLock<bool> = OnceLock::new();
    *HAS.get_or_init(|| units_are_welcome() && is_there() && is_allowed())
}

#[allow(unsafe_code)]
fn is_there() -> bool {
    const SAVES_STATE: u32 = 1 << 27;
    const HALVES: u32 = 1 << 22;
    const TILES: u32 = 1 << 24;
    const STATE: u64 = 0b11 << 17;
    if __cpuid(0).eax < 7 || __cpuid(1).ecx & SAVES_STATE == 0 {
        return false;
    }
    let has = __cpuid_count(7, 0).edx;
    // SAFETY: the processor has said that it has this instruction, and the system uses it.
    has & HALVES != 0 && has & TILES != 0 && unsafe { state_of_system() } & STATE == STATE
}

/// # Safety
///
/// The system uses `xsave`.
#[target_feature(enable = "xsave")]
#[allow(unsafe_code)]
unsafe fn state_of_system() -> u64 {
    // SAFETY: the contract of this function.
    unsafe { _xgetbv(0) }
}

/// The system keeps eight kilobytes more for each thread that uses the unit, and wants to be asked for it.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn is_allowed() -> bool {
    const REQUEST: libc::c_long = 0x1023;
    const TILES: libc::c_long = 18;
    // SAFETY: the call takes two numbers, and changes nothing but what this process may do.
    unsafe { libc::syscall(libc::SYS_arch_prctl, REQUEST, TILES) == 0 }
}

#[cfg(not(target_os = "linux"))]
fn is_allowed() -> bool {
    false
}

/// What the unit's tiles look like: sixteen rows of 64 bytes, all eight.
#[repr(C, align(64))]
struct Shapes {
    palette: u8,
    _unused: [u8; 15],
    bytes: [u16; 16],
    rows: [u8; 16],
}

const SHAPES: Shapes = {
    let (mut bytes, mut rows, mut at) = ([0; 16], [0; 16], 0);
    while at < 8 {
        (bytes[at], rows[at]) = (64, ROWS as u8);
        at += 1;
    }
    Shapes { palette: 1, _unused: [0; 15], bytes, rows }
};

/// `c = a · b` of pairs: `a` has m rows, filled up to a multiple of BLOCK, of k pairs, a multiple of PAIRS, one after the
/// other; `b` lies in strips of COLUMNS columns, the last of which is filled up.
#[allow(unsafe_code)]
pub(super) fn multiply([m, k, n]: [usize; 3], a: &[f32], strips: &[f32], c: &mut [f32]) {
    assert!(has_unit(), "this processor has no unit for matrices");
    assert!(k % PAIRS == 0 && a.len() >= m.next_multiple_of(BLOCK) * k, "the left side is not filled up");
    assert!(strips.len() >= n.next_multiple_of(COLUMNS) * k && c.len() >= m * n, "a matrix is too small");
    if k == 0 {
        return c[..m * n].fill(0.0);
    }
    // SAFETY: the unit is there and may be used, and the shapes are valid.
    unsafe { asm!("ldtilecfg [{}]", in(reg) &SHAPES, options(nostack, readonly)) };
    let mut edge = [0.0; BLOCK * BLOCK];
    for column in (0..n).step_by(BLOCK) {
        let strip = &strips[column / COLUMNS * COLUMNS * k + column % COLUMNS..];
        let width = BLOCK.min(n - column);
        for row in (0..m).step_by(BLOCK) {
            let height = BLOCK.min(m - row);
            let a = &a[row * k..];
            // SAFETY: by the assertions, BLOCK rows of k pairs are there from this one on, and k rows of the strip from this
            // column on, which is in either half of it; and a whole block of `c`, or of what is cut to its edge.
            unsafe {
                if (height, width) == (BLOCK, BLOCK) {
                    add_up(k, a.as_ptr(), strip.as_ptr(), c[row * n + column..].as_mut_ptr(), n);
                    continue;
                }
                add_up(k, a.as_ptr(), strip.as_ptr(), edge.as_mut_ptr(), BLOCK);
            }
            for (at, sums) in edge.chunks_exact(BLOCK).enumerate().take(height) {
                c[(row + at) * n + column..][..width].copy_from_slice(&sums[..width]);
            }
        }
    }
    // SAFETY: the state of the unit is given up, on which no other code relies.
    unsafe { asm!("tilerelease", options(nostack, nomem)) };
}

/// A block of sums, written in rows that are `c_step` numbers apart.
///
/// # Safety
///
/// The unit has its shapes; `a` has BLOCK rows of k pairs, `strip` k rows of BLOCK columns that are COLUMNS apart, and
/// `c` has room for the block.
#[allow(unsafe_code)]
unsafe fn add_up(k: usize, a: *const f32, strip: *const f32, c: *mut f32, c_step: usize) {
    const NUMBER: usize = size_of::<f32>();
    // SAFETY: by the contract, all that the tiles read and write is there.
    unsafe {
        asm!(
            "tilezero tmm0",
            "tilezero tmm1",
            "tilezero tmm2",
            "tilezero tmm3",
            "2:",
            "tileloadd tmm4, [{a} + {a_step}]",
            "tileloadd tmm6, [{b} + {b_step}]",
            "tileloadd tmm7, [{b} + {b_step} + 64]",
            "tdpbf16ps tmm0, tmm4, tmm6",
            "tileloadd tmm5, [{a_below} + {a_step}]",
            "tdpbf16ps tmm1, tmm4, tmm7",
            "tdpbf16ps tmm2, tmm5, tmm6",
            "tdpbf16ps tmm3, tmm5, tmm7",
            "add {a}, 64",
            "add {a_below}, 64",
            "add {b}, {b_next}",
            "dec {left}",
            "jnz 2b",
            "tilestored [{c} + {c_step}], tmm0",
            "tilestored [{c} + {c_step} + 64], tmm1",
            "tilestored [{c_below} + {c_step}], tmm2",
            "tilestored [{c_below} + {c_step} + 64], tmm3",
            a = inout(reg) a => _,
            a_below = inout(reg) a.add(ROWS * k) => _,
            a_step = in(reg) k * NUMBER,
            b = inout(reg) strip => _,
            b_step = in(reg) COLUMNS * NUMBER,
            b_next = const PAIRS * COLUMNS * NUMBER,
            left = inout(reg) k / PAIRS => _,
            c = in(reg) c,
            c_below = in(reg) c.add(ROWS * c_step),
            c_step = in(reg) c_step * NUMBER,
            out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
            out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
            options(nostack),
        );
    }
}
