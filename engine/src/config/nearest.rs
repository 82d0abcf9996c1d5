//! Which known key did the user mean?

/// More names than this are no hint.
const MOST: usize = 3;

/// What is longer than this is no slip of the pen, and not worth the time to compare.
const LONGEST: usize = 100;

/// The known keys that are nearest to what was written, if any is near. A key counts as near also when the user forgot
/// its table or wrote another, so that `margin` finds `loss.margin`.
pub(super) fn nearest<'a>(written: &str, known: &'a [String]) -> Vec<&'a str> {
    if written.len() > LONGEST {
        return Vec::new();
    }
    let distance = |key: &str| {
        let whole = edit_distance(written, key);
        let elsewhere = edit_distance(last_part(written), last_part(key)) + 1;
        // A table that was written decides between keys that are alike otherwise.
        (whole.min(elsewhere), if written.contains('.') { whole } else { 0 })
    };
    let Some(least) = known.iter().map(|key| distance(key)).min() else { return Vec::new() };
    if least.0 > 1 + last_part(written).chars().count() / 3 {
        return Vec::new();
    }
    let all: Vec<&str> = known.iter().map(String::as_str).filter(|key| distance(key) == least).collect();
    if all.len() <= MOST { all } else { Vec::new() }
}

fn last_part(key: &str) -> &str {
    key.rsplit('.').next().unwrap_or(key)
}

/// How many characters must be put in, taken out or replaced to turn one text into the other.
pub(crate) fn edit_distance(from: &str, to: &str) -> usize {
    // The row of the table for the characters of `from` so far: distances to every beginning of `to`.
    let mut row: Vec<usize> = (0..=to.chars().count()).collect();
    for (at, character) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = at + 1;
        for (place, other) in to.chars().enumerate() {
            let replaced = diagonal + usize::from(character != other);
            diagonal = row[place + 1];
            row[place + 1] = replaced.min(row[place] + 1).min(diagonal + 1);
        }
    }
    row[to.chars().count()]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The definition, letter by letter.
    fn by_definition(from: &[char], to: &[char]) -> usize {
        match (from, to) {
            ([], rest) | (rest, []) => rest.len(),
            ([a, from_rest @ ..], [b, to_rest @ ..]) => {
                let replaced = by_definition(from_rest, to_rest) + usize::from(a != b);
                let taken_out = by_definition(from_rest, to) + 1;
                let put_in = by_definition(from, to_rest) + 1;
                replaced.min(taken_out).min(put_in)
            }
        }
    }

    proptest! {
        #[test]
        fn the_distance_is_that_of_the_definition(from in "[abé]{0,6}", to in "[abé]{0,6}") {
            let letters = |text: &str| text.chars().collect::<Vec<_>>();
            prop_assert_eq!(edit_distance(&from, &to), by_definition(&letters(&from), &letters(&to)));
        }
    }

    #[test]
    fn slips_and_forgotten_tables_are_understood() {
        let known = ["loss.kind", "loss.margin", "negatives.kind", "model.entity", "training.epochs"];
        let known = known.map(str::to_owned);
        assert_eq!(nearest("loss.knd", &known), ["loss.kind"]);
        assert_eq!(nearest("los.kind", &known), ["loss.kind"]);
        assert_eq!(nearest("negative.kind", &known), ["negatives.kind"]);
        assert_eq!(nearest("los.margin", &known), ["loss.margin"]);
        assert_eq!(nearest("margin", &known), ["loss.margin"]);
        assert_eq!(nearest("train.epoch", &known), ["training.epochs"]);
        assert_eq!(nearest("kind", &known), ["loss.kind", "negatives.kind"]);
        assert_eq!(nearest("model.wheels", &known), [""; 0]);
        assert_eq!(nearest("", &known), [""; 0]);
        assert_eq!(nearest("x", &[]), [""; 0]);
    }

    #[test]
    fn too_many_names_are_no_hint() {
        let known = ["a.on", "b.on", "c.on", "d.on"].map(str::to_owned);
        assert_eq!(nearest("on", &known), [""; 0]);
        assert_eq!(nearest("on", &known[..3]), ["a.on", "b.on", "c.on"]);
    }
}
