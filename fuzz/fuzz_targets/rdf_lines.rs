//! N-Triples and N-Quads: the fast scanner, what it leaves to the full parser, and the blocks between them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use linknbed_fuzz::read_both_ways;

fuzz_target!(|bytes: &[u8]| {
    read_both_ways("x.nt", bytes, &Default::default());
    read_both_ways("x.nq", bytes, &Default::default());
});
