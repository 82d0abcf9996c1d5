//! When are two texts written alike?
//!
//! Case, accents, punctuation and the number of spaces do not matter: a text is folded to words of small plain letters
//! and digits with one space between them. An apostrophe joins (`nick's` is `nicks`), any other mark parts.

/// Small letters with marks, and the plain ones that they are read as.
const PLAIN: [(&str, &str); 27] = [
    ("àáâãäåāăąǎạảấầẩẫậắằẳẵặ", "a"),
    ("çćĉċč", "c"),
    ("ďđð", "d"),
    ("èéêëēĕėęěẹẻẽếềểễệ", "e"),
    ("ĝğġģ", "g"),
    ("ĥħ", "h"),
    ("ìíîïĩīĭįıǐịỉ", "i"),
    ("ĵ", "j"),
    ("ķ", "k"),
    ("ĺļľŀł", "l"),
    ("ñńņňŋ", "n"),
    ("òóôõöøōŏőơǒọỏốồổỗộớờởỡợ", "o"),
    ("ŕŗř", "r"),
    ("śŝşšș", "s"),
    ("ţťŧț", "t"),
    ("ùúûüũūŭůűųưǔụủứừửữự", "u"),
    ("ŵ", "w"),
    ("ýÿŷỳỵỷỹ", "y"),
    ("źżž", "z"),
    ("æ", "ae"),
    ("œ", "oe"),
    ("ß", "ss"),
    ("þ", "th"),
    ("&", " and "),
    ("ё", "е"),
    ("й", "и"),
    ("ﬁ", "fi"),
];

/// The folded form of a text; empty where nothing is left.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.chars().flat_map(char::to_lowercase) {
        match c {
            '\'' | '’' | '`' | 'ʻ' | 'ʼ' | '\u{0300}'..='\u{036F}' => {}
            'a'..='z' | '0'..='9' => folded.push(c),
            _ => match PLAIN.iter().find(|(marked, _)| !c.is_ascii_whitespace() && marked.contains(c)) {
                Some((_, plain)) => folded.push_str(plain),
                None if c.is_alphanumeric() => folded.push(c),
                None => folded.push(' '),
            },
        }
    }
    one_space(&folded)
}

fn one_space(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The folded forms that a name may be met in: the whole, and without what only tells it from others, which is what
/// stands behind in brackets (`Rosewood (film)`) or behind a comma (`Lexington, California`).
pub fn name_forms(name: &str) -> Vec<String> {
    let without_brackets = name.trim_end().strip_suffix(')').and_then(|rest| Some(rest.rsplit_once('(')?.0));
    let before_comma = without_brackets.unwrap_or(name).split_once(',').map(|(before, _)| before);
    let mut forms: Vec<String> =
        [Some(name), without_brackets, before_comma].into_iter().flatten().map(fold).collect();
    forms.retain(|form| !form.is_empty());
    forms.dedup();
    forms
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn marks_case_and_spaces_do_not_matter() {
        for (text, folded) in [
            ("Žižek,  Slavoj!", "zizek slavoj"),
            ("Uncle Nick's", "uncle nicks"),
            ("212/315-1726", "212 315 1726"),
            ("Æon & Co.", "aeon and co"),
            ("e\u{301}te\u{301}", "ete"),
            ("Straße", "strasse"),
            ("不丹國家", "不丹國家"),
            (" -- ", ""),
        ] {
            assert_eq!(fold(text), folded, "{text}");
        }
    }

    #[test]
    fn a_name_is_also_met_without_what_tells_it_from_others() {
        assert_eq!(name_forms("Rosewood (film)"), ["rosewood film", "rosewood"]);
        assert_eq!(name_forms("Lexington, California"), ["lexington california", "lexington"]);
        assert_eq!(name_forms("Plain"), ["plain"]);
        assert_eq!(name_forms("(unknown)"), ["unknown"]);
    }

    proptest! {
        #[test]
        fn folding_twice_changes_nothing(text in "\\PC{0,20}") {
            let once = fold(&text);
            prop_assert_eq!(fold(&once), once);
        }
    }
}
