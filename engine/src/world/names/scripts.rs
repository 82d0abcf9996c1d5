//! How is one name written in another script?

/// A way to write a foreign name in plain letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Romanisation {
    /// As an English newspaper would.
    Everyday,
    /// As a library catalogue would.
    Scholarly,
}

/// Cyrillic letter, everyday, scholarly.
const CYRILLIC: &[(char, &str, &str)] = &[
    ('а', "a", "a"),
    ('б', "b", "b"),
    ('в', "v", "v"),
    ('г', "g", "g"),
    ('д', "d", "d"),
    ('е', "e", "e"),
    ('ё', "yo", "ë"),
    ('ж', "zh", "ž"),
    ('з', "z", "z"),
    ('и', "i", "i"),
    ('й', "y", "j"),
    ('к', "k", "k"),
    ('л', "l", "l"),
    ('м', "m", "m"),
    ('н', "n", "n"),
    ('о', "o", "o"),
    ('п', "p", "p"),
    ('р', "r", "r"),
    ('с', "s", "s"),
    ('т', "t", "t"),
    ('у', "u", "u"),
    ('ф', "f", "f"),
    ('х', "kh", "ch"),
    ('ц', "ts", "c"),
    ('ч', "ch", "č"),
    ('ш', "sh", "š"),
    ('щ', "shch", "šč"),
    ('ъ', "", "\""),
    ('ы', "y", "y"),
    ('ь', "", "'"),
    ('э', "e", "è"),
    ('ю', "yu", "ju"),
    ('я', "ya", "ja"),
];

/// Greek letter, everyday, scholarly.
const GREEK: &[(char, &str, &str)] = &[
    ('α', "a", "a"),
    ('ά', "a", "á"),
    ('β', "v", "b"),
    ('γ', "g", "g"),
    ('δ', "d", "d"),
    ('ε', "e", "e"),
    ('έ', "e", "é"),
    ('ζ', "z", "z"),
    ('η', "i", "ē"),
    ('ή', "i", "ḗ"),
    ('θ', "th", "th"),
    ('ι', "i", "i"),
    ('ί', "i", "í"),
    ('κ', "k", "k"),
    ('λ', "l", "l"),
    ('μ', "m", "m"),
    ('ν', "n", "n"),
    ('ξ', "x", "x"),
    ('ο', "o", "o"),
    ('ό', "o", "ó"),
    ('π', "p", "p"),
    ('ρ', "r", "rh"),
    ('σ', "s", "s"),
    ('ς', "s", "s"),
    ('τ', "t", "t"),
    ('υ', "y", "u"),
    ('ύ', "y", "ú"),
    ('φ', "f", "ph"),
    ('χ', "h", "ch"),
    ('ψ', "ps", "ps"),
    ('ω', "o", "ō"),
    ('ώ', "o", "ṓ"),
];

/// Letters with accents, and what is left without.
const ACCENTS: &[(char, &str)] = &[
    ('á', "a"),
    ('à', "a"),
    ('â', "a"),
    ('ã', "a"),
    ('ä', "ae"),
    ('å', "aa"),
    ('ą', "a"),
    ('ç', "c"),
    ('č', "c"),
    ('ć', "c"),
    ('é', "e"),
    ('è', "e"),
    ('ê', "e"),
    ('ë', "e"),
    ('ě', "e"),
    ('ę', "e"),
    ('í', "i"),
    ('î', "i"),
    ('ï', "i"),
    ('ł', "l"),
    ('ñ', "n"),
    ('ń', "n"),
    ('ó', "o"),
    ('ô', "o"),
    ('ö', "oe"),
    ('ø', "oe"),
    ('ō', "ou"),
    ('ř', "r"),
    ('š', "s"),
    ('ś', "s"),
    ('ß', "ss"),
    ('ú', "u"),
    ('ü', "ue"),
    ('ū', "uu"),
    ('ů', "u"),
    ('ý', "y"),
    ('ž', "z"),
    ('ż', "z"),
];

/// Writes Cyrillic and Greek in Latin letters; the rest stays as it is.
pub(crate) fn romanise(text: &str, way: Romanisation) -> String {
    replaced(text, |letter| {
        let of = |table: &[(char, &'static str, &'static str)]| {
            let found = table.iter().find(|entry| entry.0 == letter)?;
            Some(if way == Romanisation::Everyday { found.1 } else { found.2 })
        };
        of(CYRILLIC).or_else(|| of(GREEK))
    })
}

/// Drops accents, as a hurried typist does.
pub(crate) fn without_accents(text: &str) -> String {
    replaced(text, |letter| ACCENTS.iter().find(|entry| entry.0 == letter).map(|entry| entry.1))
}

/// Replaces letters by their small form and gives back the capital where there was one.
fn replaced(text: &str, of: impl Fn(char) -> Option<&'static str>) -> String {
    let mut written = String::with_capacity(text.len());
    for letter in text.chars() {
        let small = letter.to_lowercase().next().unwrap_or(letter);
        match of(small) {
            None => written.push(letter),
            Some(latin) if small == letter => written.push_str(latin),
            Some(latin) => {
                let mut rest = latin.chars();
                written.extend(rest.next().into_iter().flat_map(char::to_uppercase));
                written.push_str(rest.as_str());
            }
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_rewritten_and_capitals_kept() {
        assert_eq!(romanise("Чехов", Romanisation::Everyday), "Chekhov");
        assert_eq!(romanise("Чехов", Romanisation::Scholarly), "Čechov");
        assert_eq!(romanise("Γιώργος", Romanisation::Everyday), "Giorgos");
        assert_eq!(without_accents("Élodie Müller"), "Elodie Mueller");
        assert_eq!(without_accents("plain"), "plain");
    }
}
