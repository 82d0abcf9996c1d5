//! Word vectors as text. What is read is finite and of one width, and names are composed of it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use linknbed::io::vectors::WordVectors;
use linknbed_fuzz::file;

fuzz_target!(|bytes: &[u8]| {
    let path = file("x.vec", bytes);
    let vectors = match WordVectors::read(&path) {
        Ok(vectors) => vectors,
        Err(error) => return assert!(error.to_string().contains("x.vec"), "{error}"),
    };
    assert!(vectors.count() > 0 && vectors.width() > 0);
    let check = |vector: &[f32]| {
        assert_eq!(vector.len(), vectors.width());
        assert!(vector.iter().all(|number| number.is_finite()));
    };
    for line in String::from_utf8_lossy(bytes).lines() {
        vectors.compose(line).as_deref().map(check);
        let word = line.trim_start_matches('\u{feff}').split([' ', '\t']).find(|word| !word.is_empty());
        if let Some(vector) = word.and_then(|word| vectors.get(word)) {
            check(vector);
            let composed = vectors.compose(word.unwrap_or_default());
            // The name as it is comes first, unless whitespace in it is written otherwise.
            let is_plain = word.is_some_and(|word| !word.contains(char::is_whitespace));
            assert!(!is_plain || composed.as_deref() == Some(vector), "{word:?}");
        }
    }
});
