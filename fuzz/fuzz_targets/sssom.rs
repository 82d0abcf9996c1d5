//! SSSOM mapping files.
#![no_main]

use libfuzzer_sys::fuzz_target;
use linknbed_fuzz::links::read_links_both_ways;

fuzz_target!(|bytes: &[u8]| {
    read_links_both_ways("x.sssom.tsv", bytes);
    // Behind a header that is one, so that rows and prefixes are reached at once.
    let header = b"#curie_map:\n#  e: http://e/\nsubject_id\tpredicate_id\tobject_id\n";
    read_links_both_ways("x.sssom.tsv", &[header, bytes].concat());
});
