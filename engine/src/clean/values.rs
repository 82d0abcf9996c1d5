//! Which characters of a value are garbage?
//!
//! Control and format characters, the replacement character that a wrong encoding leaves behind, and remnants of
//! HTML. White space is folded to single spaces.

use std::borrow::Cow;

use super::Tally;
use crate::graph::Graph;

/// Cleans every value; counts the distinct values that changed.
pub(super) fn remove_garbage(graph: &mut Graph) -> Tally {
    let mut tally = Tally::new();
    for value in graph.values.iter() {
        if let Cow::Owned(clean) = cleaned(value.text) {
            tally.add(|| format!("{:?} -> {clean:?}", value.text));
        }
    }
    if tally.count > 0 {
        graph.rewrite_values(|value| cleaned(value.text));
    }
    tally
}

/// Removes attributes without a value.
pub(super) fn remove_empty(graph: &mut Graph) -> Tally {
    let mut tally = Tally::new();
    let (values, keys, entities) = (&graph.values, &graph.keys, &graph.entities);
    graph.attributes.retain(|attribute| {
        let keep = !values.get(attribute.value.0).text.is_empty();
        if !keep {
            tally.add(|| format!("{} {}", entities.get(attribute.entity.0), keys.get(attribute.key.0)));
        }
        keep
    });
    tally
}

fn is_garbage(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{FFFD}' | '\u{FEFF}' | '\u{00AD}' | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2064}')
        || matches!(c, '\u{E000}'..='\u{F8FF}' | '\u{FFF9}'..='\u{FFFB}')
}

/// The text without garbage; borrowed if there was none.
pub(super) fn cleaned(text: &str) -> Cow<'_, str> {
    if is_clean(text) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let (taken, put) = match c {
            '<' => tag(rest).map_or((1, '<'), |length| (length, ' ')),
            '&' => entity(rest).unwrap_or((1, '&')),
            _ if c.is_whitespace() => (c.len_utf8(), ' '),
            _ if is_garbage(c) => (c.len_utf8(), '\0'),
            _ => (c.len_utf8(), c),
        };
        rest = &rest[taken..];
        let folded = put == ' ' && (clean.is_empty() || clean.ends_with(' '));
        if put != '\0' && !folded {
            clean.push(put);
        }
    }
    clean.truncate(clean.trim_end().len());
    if clean == text { Cow::Borrowed(text) } else { Cow::Owned(clean) }
}

/// A quick look that lets nearly all values pass.
fn is_clean(text: &str) -> bool {
    let plain = |b: u8| (b' '..=b'~').contains(&b) && !matches!(b, b'<' | b'&');
    text.bytes().all(plain) && !text.contains("  ") && !text.starts_with(' ') && !text.ends_with(' ')
}

/// The length of an HTML tag at the start of the text.
fn tag(text: &str) -> Option<usize> {
    let inside = &text[1..];
    let name = inside.strip_prefix('/').unwrap_or(inside);
    let length = name.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let known = ["br", "p", "i", "b", "em", "strong", "a", "span", "div", "sup", "sub", "small", "ref", "u"];
    if !known.iter().any(|tag| tag.eq_ignore_ascii_case(&name[..length])) {
        return None;
    }
    let end = inside.find('>')?;
    let rest = &inside[inside.len() - name.len() + length..end];
    // `<i and j>` is no tag; one has nothing behind its name, or attributes.
    let is_tag = rest.trim_matches(['/', ' ']).is_empty() || (rest.starts_with(' ') && rest.contains('='));
    (is_tag && !inside[..end].contains('<')).then_some(end + 2)
}

/// The length of an HTML character reference at the start of the text, and the character it stands for.
fn entity(text: &str) -> Option<(usize, char)> {
    let known = [
        ("&amp;", '&'),
        ("&lt;", '<'),
        ("&gt;", '>'),
        ("&quot;", '"'),
        ("&apos;", '\''),
        ("&#39;", '\''),
        ("&#039;", '\''),
        ("&nbsp;", ' '),
    ];
    known
        .iter()
        .find(|(reference, _)| text.starts_with(reference))
        .map(|(reference, c)| (reference.len(), *c))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn garbage_goes_and_text_stays() {
        for (dirty, clean) in [
            ("The Aviator", "The Aviator"),
            ("  Tom \u{1} &amp;  Jerry\u{FFFD}<br/>\u{200B}", "Tom & Jerry"),
            ("Cap\u{8}tain", "Captain"),
            ("a < b & c > d", "a < b & c > d"),
            ("caf\u{E9} \u{4E2D}\u{6587}", "café 中文"),
            ("<i>Alien</i>", "Alien"),
            ("<unknown> stays", "<unknown> stays"),
            ("for <i and j> there", "for <i and j> there"),
            ("<a href='x'>Alien</a><br />", "Alien"),
            ("\u{645}\u{6CC}\u{200C}\u{62E}\u{648}", "\u{645}\u{6CC}\u{200C}\u{62E}\u{648}"),
            ("tab\tand\nline", "tab and line"),
            ("\u{FFFD}", ""),
        ] {
            assert_eq!(cleaned(dirty), clean, "{dirty:?}");
        }
    }

    proptest! {
        #[test]
        fn words_survive_and_no_control_character_does(text in "\\PC{0,20}", noise in "[\u{0}-\u{1F}\u{FFFD}\u{200B}]{0,4}") {
            let mixed = format!("{text}{noise}{text}");
            let clean = cleaned(&mixed).into_owned();
            prop_assert!(!clean.chars().any(is_garbage));
            let letters = |s: &str| s.chars().filter(|c| c.is_ascii_alphanumeric()).count();
            prop_assert!(text.contains(['&', '<']) || letters(&clean) == letters(&mixed));
        }
    }
}
