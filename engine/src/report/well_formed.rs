//! Is a page well-formed?
//!
//! A small checker for tests: tags nest, values are quoted, every `&` begins an entity, and no id is there twice.

use std::collections::BTreeSet;

/// How many elements there are, or what is wrong.
pub(super) fn check(page: &str) -> Result<usize, String> {
    let mut rest = page.strip_prefix("<!doctype html>").unwrap_or(page);
    let (mut open, mut elements, mut ids) = (Vec::new(), 0, BTreeSet::new());
    while let Some(at) = rest.find('<') {
        entities(&rest[..at])?;
        let end = rest[at..].find('>').ok_or("a tag does not end")? + at;
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            match open.pop() {
                Some(opened) if opened == name => continue,
                opened => return Err(format!("</{name}> closes {opened:?}")),
            }
        }
        elements += 1;
        let closed = tag.strip_suffix('/');
        let (name, attributes) = closed.unwrap_or(tag).split_once(' ').unwrap_or((closed.unwrap_or(tag), ""));
        let good = |c: char| c.is_ascii_alphanumeric();
        if name.is_empty() || !name.chars().all(good) {
            return Err(format!("<{name}> is no element"));
        }
        if let Some(id) = values(attributes)?
            && !ids.insert(id.to_owned())
        {
            return Err(format!("the id {id} is there twice"));
        }
        if closed.is_none() {
            open.push(name);
        }
    }
    entities(rest)?;
    if open.is_empty() { Ok(elements) } else { Err(format!("{open:?} are not closed")) }
}

/// Checks the attributes of a tag, and gives its id.
fn values(attributes: &str) -> Result<Option<&str>, String> {
    let (mut rest, mut id) = (attributes, None);
    while !rest.is_empty() {
        let (name, behind) = rest.split_once("=\"").ok_or(format!("no value: {rest}"))?;
        let (value, behind) = behind.split_once('"').ok_or(format!("no end: {rest}"))?;
        let good = |c: char| c.is_ascii_alphanumeric() || "-:".contains(c);
        if name.is_empty() || !name.chars().all(good) {
            return Err(format!("{name:?} is no attribute"));
        }
        entities(value)?;
        if name == "id" {
            id = Some(value);
        }
        rest = behind.strip_prefix(' ').unwrap_or(behind);
    }
    Ok(id)
}

fn entities(text: &str) -> Result<(), String> {
    for (at, _) in text.match_indices('&') {
        let known = ["&amp;", "&lt;", "&gt;", "&quot;", "&#39;"];
        if !known.iter().any(|entity| text[at..].starts_with(entity)) {
            return Err(format!("a bare & in {text:?}"));
        }
    }
    Ok(())
}

#[test]
fn the_checker_sees_what_is_wrong() {
    assert_eq!(check("<!doctype html><a b=\"&lt;\"><c/>x</a>"), Ok(2));
    for wrong in [
        "<a>",
        "<a></b>",
        "</a>",
        "<a b=c></a>",
        "<a b=\"></a>",
        "a & b",
        "<a <b></a>",
        "<a id=\"x\"/><b id=\"x\"/>",
    ] {
        assert!(check(wrong).is_err(), "{wrong}");
    }
}
