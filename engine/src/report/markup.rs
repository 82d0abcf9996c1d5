//! How does text become HTML without harm?
//!
//! Everything on the page is written through [`Html`], which closes what it opens and escapes all text and all values.
//! What it writes reads as HTML and as XML alike.

/// A piece of a page in the making.
#[derive(Debug, Default)]
pub(super) struct Html {
    written: String,
    figures: usize,
}

/// Names and values of attributes.
pub(super) type Attributes<'a> = &'a [(&'static str, &'a str)];

impl Html {
    /// An element and what is inside.
    pub(super) fn element(
        &mut self,
        tag: &'static str,
        attributes: Attributes<'_>,
        inside: impl FnOnce(&mut Self),
    ) {
        self.open(tag, attributes);
        self.written.push('>');
        inside(self);
        self.written.push_str("</");
        self.written.push_str(tag);
        self.written.push('>');
        if !matches!(tag, "span" | "bdi" | "b" | "a" | "text" | "tspan" | "th" | "td" | "dt" | "dd") {
            self.written.push('\n');
        }
    }

    /// An element with text alone.
    pub(super) fn leaf(&mut self, tag: &'static str, attributes: Attributes<'_>, text: &str) {
        self.element(tag, attributes, |html| html.text(text));
    }

    /// An element with nothing inside.
    pub(super) fn empty(&mut self, tag: &'static str, attributes: Attributes<'_>) {
        self.open(tag, attributes);
        self.written.push_str("/>");
    }

    /// Text, whatever is in it.
    pub(super) fn text(&mut self, text: &str) {
        escape(text, &mut self.written);
    }

    /// A name that somebody gave: it may be long, and may run from right to left.
    pub(super) fn name(&mut self, name: &str) {
        self.leaf("bdi", &[], name);
    }

    /// The style of the page, which is ours and needs no escaping.
    pub(super) fn style(&mut self, css: &'static str) {
        debug_assert!(!css.contains(['<', '&']), "would not read as XML");
        self.written.push_str("<style>\n");
        self.written.push_str(css);
        self.written.push_str("</style>\n");
    }

    /// A number that no other figure of the page has.
    pub(super) fn next_figure(&mut self) -> usize {
        self.figures += 1;
        self.figures
    }

    /// The page.
    pub(super) fn finish(self) -> String {
        self.written
    }

    fn open(&mut self, tag: &'static str, attributes: Attributes<'_>) {
        self.written.push('<');
        self.written.push_str(tag);
        for (name, value) in attributes {
            self.written.push(' ');
            self.written.push_str(name);
            self.written.push_str("=\"");
            escape(value, &mut self.written);
            self.written.push('"');
        }
    }
}

/// Replaces what means something to a browser, and what no document may contain.
fn escape(text: &str, onto: &mut String) {
    for character in text.chars() {
        match character {
            '&' => onto.push_str("&amp;"),
            '<' => onto.push_str("&lt;"),
            '>' => onto.push_str("&gt;"),
            '"' => onto.push_str("&quot;"),
            '\'' => onto.push_str("&#39;"),
            '\t' | '\n' => onto.push(character),
            '\u{fffe}' | '\u{ffff}' => onto.push('\u{fffd}'),
            _ if character.is_control() => onto.push('\u{fffd}'),
            _ => onto.push(character),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::report::well_formed::check;

    fn unescape(text: &str) -> String {
        let mut text = text.to_owned();
        for (escaped, plain) in
            [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
        {
            text = text.replace(escaped, plain);
        }
        text
    }

    proptest! {
        #[test]
        fn any_text_is_harmless_and_comes_back(text in any::<String>()) {
            let mut escaped = String::new();
            escape(&text, &mut escaped);
            prop_assert!(!escaped.contains(['<', '>', '"', '\'']));
            prop_assert!(!escaped.chars().any(|c| c.is_control() && c != '\t' && c != '\n'));
            let replaced = |c: char| c.is_control() && c != '\t' && c != '\n' || matches!(c, '\u{fffe}' | '\u{ffff}');
            let kept: String = text.chars().map(|c| if replaced(c) { '\u{fffd}' } else { c }).collect();
            prop_assert_eq!(unescape(&escaped), kept);
        }

        #[test]
        fn any_text_and_value_make_a_well_formed_element(text in any::<String>(), value in "[\"'<>&a-z/=]*") {
            let mut html = Html::default();
            html.element("p", &[("title", &value)], |html| {
                html.name(&text);
                html.empty("br", &[("class", &text)]);
            });
            prop_assert_eq!(check(&html.finish()), Ok(3));
        }
    }

    #[test]
    fn a_script_stays_text() {
        let mut html = Html::default();
        html.leaf("td", &[("title", "\"><b>")], "<script>alert('&')</script>\0");
        assert_eq!(
            html.finish(),
            "<td title=\"&quot;&gt;&lt;b&gt;\">&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;\u{fffd}</td>"
        );
    }
}
