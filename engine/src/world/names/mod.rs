//! What is a thing called, and how does each catalogue write it?
//!
//! A name is made once. Each catalogue then writes it its own way: another script, another title, a slip of the
//! pen. The slips that make two writings hard to match are the named cases.

mod people;
mod scripts;
mod titles;

use super::dice::{Dice, Purpose, Rolls};
use super::scale::{Class, Object};
use super::truth::Truth;
use super::truth::people::Pair;
use scripts::{Romanisation, romanise, without_accents};
pub(crate) use titles::tagline;

/// Why the two writings of one name differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NameCase {
    /// A slip of the pen.
    Typo,
    /// Another script, another romanisation, or accents left out.
    Transliterated,
    /// Another title altogether.
    AlternativeTitle,
}

/// A text in a language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Label {
    /// The text.
    pub(crate) text: String,
    /// Its language tag.
    pub(crate) language: &'static str,
}

fn english(text: impl Into<String>) -> Label {
    Label { text: text.into(), language: "en" }
}

/// The names of one thing.
#[derive(Debug, Clone)]
pub(crate) struct Naming {
    /// The name in its own language and script.
    pub(crate) native: Label,
    /// How the first catalogue writes it.
    pub(crate) screen: String,
    /// How the second catalogue writes it.
    pub(crate) reel: Label,
    /// Other names the second catalogue has.
    pub(crate) also: Vec<Label>,
    /// Another title, of films.
    pub(crate) alternative: Option<Label>,
    /// Why the two differ, where they do so badly.
    pub(crate) case: Option<NameCase>,
}

/// Names things.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Namer<'a> {
    truth: &'a Truth,
    names: Dice,
    spelling: Dice,
}

impl<'a> Namer<'a> {
    /// Names the things of a world.
    pub(crate) fn new(truth: &'a Truth) -> Self {
        let dice = |purpose| Dice::new(truth.seed, purpose);
        Self { truth, names: dice(Purpose::Names), spelling: dice(Purpose::Spelling) }
    }

    fn rolls(&self, object: Object, aspect: u64) -> Rolls {
        self.names.of(object.class as u64).of(u64::from(object.index)).of(aspect).rolls()
    }

    /// The name in its own language and script.
    fn native(&self, object: Object) -> Label {
        let mut rolls = self.rolls(object, 0);
        match object.class {
            Class::Film => self.title(object.index),
            Class::Person => self.person(object.index),
            Class::Character => {
                let culture = people::culture(&mut rolls);
                let male = rolls.chance(550);
                let (given, family) = (culture.given(male, &mut rolls), culture.family(male, &mut rolls));
                let everyday = |text: &str| romanise(text, Romanisation::Everyday);
                english(titles::character(&everyday(given), &everyday(&family), &mut rolls))
            }
            Class::Company => english(titles::company(&mut rolls)),
            Class::Award => english(titles::award(&mut rolls)),
            Class::Genre => english(titles::genre(object.index)),
            Class::Country => english(titles::country(object.index)),
            Class::Place => english(titles::place(&mut rolls)),
            Class::Language => english(titles::language(object.index)),
        }
    }

    fn title(&self, film: u32) -> Label {
        let opening = self.truth.saga_opening(film);
        let first = Object { class: Class::Film, index: opening.unwrap_or(film) };
        let (text, language) = titles::film(&mut self.rolls(first, 0));
        let part = ["", " II", " III", " IV"][film as usize % 4];
        Label { text: if opening.is_some() { text + part } else { text }, language }
    }

    fn person(&self, person: u32) -> Label {
        let pair = self.truth.pair(person);
        let first = if pair == Pair::Strangers { person } else { person.min(self.truth.partner(person)) };
        let namesake = if pair == Pair::Homonyms { first } else { person };
        let mut own = self.rolls(Object { class: Class::Person, index: namesake }, 1);
        let mut shared = self.rolls(Object { class: Class::Person, index: first }, 2);
        let male = self.truth.is_male(person);
        let (culture, family) = if pair == Pair::Couple {
            let culture = people::culture(&mut shared);
            let one_name = shared.chance(600);
            (culture, culture.family(male, if one_name { &mut shared } else { &mut own }))
        } else {
            let culture = people::culture(&mut own);
            (culture, culture.family(male, &mut own))
        };
        let text = format!("{} {family}", culture.given(male, &mut own));
        Label { text, language: culture.language }
    }

    /// All names of a thing, and how each catalogue writes them.
    pub(crate) fn naming(&self, object: Object) -> Naming {
        let native = self.native(object);
        let mut rolls = self.spelling.of(object.class as u64).of(u64::from(object.index)).rolls();
        let everyday = romanise(&native.text, Romanisation::Everyday);
        let mut naming = Naming {
            screen: everyday.clone(),
            reel: english(everyday),
            also: Vec::new(),
            alternative: self.alternative(object),
            case: None,
            native,
        };
        let homonym = object.class == Class::Person && self.truth.pair(object.index) == Pair::Homonyms;
        if !homonym {
            spell(&mut naming, &mut rolls);
            if naming.case.is_none() {
                vary(object.class, &mut naming, &mut rolls);
            }
        }
        add_other_names(&mut naming, &mut rolls);
        naming
    }

    fn alternative(&self, object: Object) -> Option<Label> {
        let mut rolls = self.rolls(object, 3);
        if object.class != Class::Film || !rolls.chance(250) {
            return None;
        }
        Some(if rolls.chance(330) {
            Label { text: titles::french(&mut rolls), language: "fr" }
        } else {
            english(titles::english(&mut rolls))
        })
    }
}

/// Decides whether the two catalogues write the name so that it is hard to match, and how.
fn spell(naming: &mut Naming, rolls: &mut Rolls) {
    let ticket = rolls.below(1000);
    let foreign = romanise(&naming.native.text, Romanisation::Everyday) != naming.native.text;
    let bare = without_accents(&naming.native.text);
    if let Some(other) =
        naming.alternative.clone().filter(|other| ticket < 250 && other.text != naming.screen)
    {
        naming.reel = other;
        naming.case = Some(NameCase::AlternativeTitle);
    } else if foreign && ticket < 480 {
        let scholarly = romanise(&naming.native.text, Romanisation::Scholarly);
        let own_script = rolls.chance(500) || scholarly == naming.screen;
        naming.reel = if own_script { naming.native.clone() } else { english(scholarly) };
        naming.case = Some(NameCase::Transliterated);
    } else if !foreign && bare != naming.native.text && ticket < 480 {
        if rolls.chance(500) {
            naming.reel = english(bare);
        } else {
            naming.screen = bare;
        }
        naming.case = Some(NameCase::Transliterated);
    } else if ticket >= 955
        && let Some(wrong) = typo(&naming.screen, rolls)
    {
        if rolls.chance(500) {
            naming.screen = wrong;
        } else {
            naming.reel = english(wrong);
        }
        naming.case = Some(NameCase::Typo);
    }
}

/// One slip of the pen, away from the first letter; none where the name is too short for it.
fn typo(name: &str, rolls: &mut Rolls) -> Option<String> {
    let mut letters: Vec<char> = name.chars().collect();
    let places: Vec<usize> = (1..letters.len().saturating_sub(1))
        .filter(|&at| {
            letters[at].is_alphabetic() && letters[at + 1].is_alphabetic() && letters[at] != letters[at + 1]
        })
        .collect();
    if letters.len() < 5 || places.is_empty() {
        return None;
    }
    let at = places[rolls.below(places.len())];
    match rolls.below(4) {
        0 => letters.swap(at, at + 1),
        1 => letters.insert(at, letters[at]),
        2 => {
            letters.remove(at);
        }
        _ => letters[at] = if letters[at] == 'e' { 'a' } else { 'e' },
    }
    Some(letters.into_iter().collect())
}

/// Small habits of the catalogues, which no one would call a difficulty.
fn vary(class: Class, naming: &mut Naming, rolls: &mut Rolls) {
    let ticket = rolls.below(1000);
    match class {
        Class::Film => {
            let Some(rest) = naming.screen.strip_prefix("The ").map(str::to_owned) else { return };
            if ticket < 150 {
                naming.screen = format!("{rest}, The");
            } else if ticket < 230 {
                naming.reel.text = rest;
            }
        }
        Class::Person => {
            let name = naming.screen.clone();
            match ticket {
                0..12 => naming.reel.text = format!("Sir {name}"),
                12..24 => naming.reel.text = format!("Dr. {name}"),
                24..40 => naming.screen = format!("{name} Jr."),
                40..80 => {
                    let initial = rolls.word(&["A.", "B.", "C.", "D.", "E.", "J.", "L.", "M.", "P.", "R."]);
                    naming.reel.text = name.replacen(' ', &format!(" {initial} "), 1);
                }
                _ => {}
            }
        }
        Class::Company if ticket < 300 => {
            let form = rolls.word(&["Inc.", "Ltd.", "LLC", "S.A.", "GmbH"]);
            naming.reel.text = format!("{} {form}", naming.screen);
        }
        Class::Award if ticket < 150 => naming.reel.text = naming.screen.replacen("for Best", "-", 1),
        Class::Language if ticket < 200 => naming.reel.text = format!("{} language", naming.screen),
        _ => {}
    }
}

/// The further names of the second catalogue.
fn add_other_names(naming: &mut Naming, rolls: &mut Rolls) {
    let (own_script, other_title) = (rolls.chance(600), rolls.chance(550));
    if own_script && naming.native.language != "en" && naming.native != naming.reel {
        naming.also.push(naming.native.clone());
    }
    if other_title && let Some(other) = &naming.alternative {
        let shown = naming.case == Some(NameCase::AlternativeTitle);
        let label = if shown { english(naming.screen.clone()) } else { other.clone() };
        if !naming.also.contains(&label) {
            naming.also.push(label);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::scale::Scale;
    use super::*;

    #[test]
    fn difficult_names_differ_and_homonyms_do_not() {
        let truth = Truth::new(Scale::Small, 5);
        let namer = Namer::new(&truth);
        let mut cases = [0usize; 3];
        for number in 0..truth.census.total() {
            let object = truth.census.object(number).unwrap();
            let naming = namer.naming(object);
            assert!(!naming.screen.contains(['\t', '\n']) && !naming.screen.is_empty());
            if let Some(case) = naming.case {
                assert_ne!(naming.screen, naming.reel.text, "{case:?}");
                cases[case as usize] += 1;
            }
            if object.class == Class::Person && truth.pair(object.index) == Pair::Homonyms {
                let other = Object { class: Class::Person, index: truth.partner(object.index) };
                assert_eq!(naming.screen, namer.naming(other).screen);
                assert_eq!(naming.screen, naming.reel.text);
            }
        }
        assert!(cases.iter().all(|&count| count > 30), "{cases:?}");
    }
}
