//! What are films, companies, awards and all the other things called?

use super::super::dice::Rolls;

// The lists are not formatted: one word a line would hide the others.

#[rustfmt::skip]
const ADJECTIVES: &[&str] = &[
    "Amber", "Ancient", "Angry", "Bitter", "Black", "Blue", "Borrowed", "Brave", "Broken", "Burning",
    "Careless", "Crimson", "Crooked", "Crowded", "Cruel", "Dancing", "Distant", "Divided", "Drowned",
    "Dusty", "Electric", "Empty", "Endless", "Faithful", "Fallen", "Final", "First", "Forbidden",
    "Forgotten", "Fragile", "Frozen", "Gentle", "Golden", "Green", "Hidden", "Hollow", "Honest", "Hungry",
    "Iron", "Last", "Little", "Lonely", "Long", "Lost", "Midnight", "Naked", "Painted", "Pale", "Patient",
    "Perfect", "Quiet", "Reckless", "Red", "Restless", "Sacred", "Scarlet", "Second", "Secret", "Shattered",
    "Silent", "Silver", "Sleeping", "Stolen", "Strange", "Tender", "Third", "Thirsty", "Unknown", "Velvet",
    "Vanishing", "Wandering", "Waiting", "White", "Wild", "Winter", "Wounded", "Yellow", "Young",
];
#[rustfmt::skip]
const NOUNS: &[&str] = &[
    "Affair", "Anchor", "Angel", "Archer", "Arrow", "Autumn", "Balcony", "Bell", "Bird", "Border", "Bride",
    "Bridge", "Brother", "Candle", "Captain", "Carnival", "Castle", "Circus", "City", "Clock", "Coast",
    "Confession", "Courier", "Crown", "Dancer", "Daughter", "Desert", "Detective", "Door", "Dream", "Eagle",
    "Emperor", "Engine", "Enemy", "Evening", "Executioner", "Farewell", "Father", "Fire", "Flower",
    "Forest", "Fortune", "Fugitive", "Garden", "Ghost", "Glass", "Guest", "Harbour", "Harvest", "Heart",
    "Heir", "Highway", "Horizon", "Hotel", "Hour", "House", "Hunter", "Island", "Journey", "Judge", "Key",
    "King", "Kingdom", "Lantern", "Letter", "Lighthouse", "Lover", "Machine", "Magician", "Map", "Mask",
    "Messenger", "Mirror", "Moon", "Mother", "Mountain", "Night", "Ocean", "Orchard", "Orphan", "Painter",
    "Palace", "Pilot", "Prisoner", "Promise", "Queen", "Rain", "Return", "River", "Road", "Rose", "Sailor",
    "Season", "Servant", "Shadow", "Sister", "Sky", "Smuggler", "Soldier", "Song", "Spring", "Station",
    "Stranger", "Summer", "Sword", "Teacher", "Theatre", "Thief", "Tiger", "Tower", "Train", "Traveller",
    "Valley", "Voyage", "Waltz", "Watchman", "Widow", "Wind", "Witness", "Wolf",
];
#[rustfmt::skip]
const VERBS: &[&str] = &[
    "Become", "Believe", "Bury", "Call", "Carry", "Catch", "Chase", "Cross", "Find", "Follow", "Forget",
    "Forgive", "Hear", "Hide", "Kiss", "Leave", "Lose", "Marry", "Meet", "Mourn", "Name", "Paint",
    "Remember", "Rescue", "Search", "Steal", "Tame", "Trust", "Wake", "Watch",
];
#[rustfmt::skip]
const SHADOWS_RU: &[&str] = &[
    "Тень", "Песня", "Дорога", "Письмо", "Голос", "Зеркало", "Берег", "Сердце", "Сон", "Огонь", "Праздник",
    "Ключ", "Ветер", "Тайна", "Возвращение", "Ночь", "Хозяин", "Дочь", "Часы", "Шёпот",
];
#[rustfmt::skip]
const RIVERS_RU: &[&str] = &[
    "реки", "моря", "матери", "зимы", "города", "солдата", "осени", "леса", "любви", "короля", "учителя",
    "луны", "весны", "брата", "чайки", "тишины", "юности", "памяти", "жизни", "звезды",
];
#[rustfmt::skip]
const SHADOWS_EL: &[&str] = &[
    "Η σκιά", "Το τραγούδι", "Ο δρόμος", "Η φωνή", "Ο καθρέφτης", "Η νύχτα", "Το γράμμα", "Η επιστροφή",
    "Το φως", "Ο κήπος", "Η σιωπή", "Το ταξίδι",
];
#[rustfmt::skip]
const RIVERS_EL: &[&str] = &[
    "του ποταμού", "της θάλασσας", "της μητέρας", "του χειμώνα", "της πόλης", "του στρατιώτη", "του δάσους",
    "της αγάπης", "του βασιλιά", "του φεγγαριού", "της μνήμης", "του ανέμου",
];
#[rustfmt::skip]
const SHADOWS_FR: &[&str] = &[
    "L'Ombre", "La Chanson", "Le Chemin", "La Voix", "Le Miroir", "La Nuit", "La Lettre", "Le Retour",
    "La Lumière", "Le Jardin", "Le Silence", "Le Voyage", "La Fiancée", "L'Été", "Le Secret",
];
#[rustfmt::skip]
const RIVERS_FR: &[&str] = &[
    "de la rivière", "de la mer", "du père", "de l'hiver", "de la cité", "du soldat", "de la forêt",
    "du bien-aimé", "du roi", "de la lune", "de la mémoire", "du vent", "de l'étoile", "des étrangers",
];

#[rustfmt::skip]
const TOWN_BEGINNINGS: &[&str] = &[
    "Ald", "Bel", "Bran", "Cal", "Cor", "Dor", "El", "Fal", "Gran", "Hav", "Ist", "Jor", "Kel", "Lor",
    "Mar", "Nev", "Ol", "Per", "Quil", "Ros", "Sal", "Tar", "Ul", "Ver", "Wes", "Yar", "Zel",
];
#[rustfmt::skip]
const TOWN_ENDINGS: &[&str] = &[
    "berg", "bridge", "burgh", "dale", "ford", "gate", "haven", "holm", "mont", "mouth", "port", "stad",
    "ton", "vale", "ville", "wick",
];
#[rustfmt::skip]
const TRADES: &[&str] = &[
    "Pictures", "Films", "Productions", "Studios", "Entertainment", "Media", "Releasing", "Film Company",
    "Distribution", "Visual Effects", "Broadcasting", "Television",
];
#[rustfmt::skip]
const PRIZED_WORK: &[&str] = &[
    "Picture", "Director", "Actor", "Actress", "Supporting Actor", "Supporting Actress",
    "Original Screenplay", "Adapted Screenplay", "Cinematography", "Editing", "Original Score",
    "Costume Design", "Production Design", "Sound", "Visual Effects", "First Feature", "Documentary",
    "Short Film", "Foreign Language Film", "Ensemble",
];
#[rustfmt::skip]
const COUNTRY_BEGINNINGS: [&str; 24] = [
    "Alb", "Arv", "Bor", "Carp", "Dal", "Est", "Fer", "Gald", "Hesp", "Ill", "Jast", "Kar", "Lav", "Mor",
    "Nor", "Ost", "Pel", "Rov", "Sard", "Tav", "Umbr", "Vald", "Westr", "Zar",
];
#[rustfmt::skip]
const COUNTRY_ENDINGS: [&str; 13] = [
    "ia", "onia", "avia", "ania", "oria", "uria", "istan", "mark", "land", "esia", "enia", "ovia", "aria",
];
#[rustfmt::skip]
const GENRES: [&str; 20] = [
    "Drama", "Comedy", "Thriller", "Documentary", "Romance", "Western", "Horror", "Musical", "Adventure",
    "War", "Mystery", "Fantasy", "Science Fiction", "Biography", "Crime", "History", "Animation", "Family",
    "Film Noir", "Sports",
];
#[rustfmt::skip]
const MANNERS: [&str; 9] = [
    "", "Gothic ", "Political ", "Silent ", "Urban ", "Period ", "Experimental ", "Psychological ", "Road ",
];

/// A title, and the language it is in.
pub(crate) fn film(rolls: &mut Rolls) -> (String, &'static str) {
    match rolls.below(100) {
        0..2 => (format!("{} {}", rolls.word(SHADOWS_RU), rolls.word(RIVERS_RU)), "ru"),
        2..4 => (format!("{} {}", rolls.word(SHADOWS_EL), rolls.word(RIVERS_EL)), "el"),
        4..8 => (french(rolls), "fr"),
        _ => (english(rolls), "en"),
    }
}

/// A French title.
pub(crate) fn french(rolls: &mut Rolls) -> String {
    format!("{} {}", rolls.word(SHADOWS_FR), rolls.word(RIVERS_FR))
}

/// An English title.
pub(crate) fn english(rolls: &mut Rolls) -> String {
    let noun = rolls.word(NOUNS);
    match rolls.below(14) {
        0..3 => format!("The {} {noun}", rolls.word(ADJECTIVES)),
        3 => format!("{} {noun}", rolls.word(ADJECTIVES)),
        4 => format!("The {noun} of the {}", rolls.word(NOUNS)),
        5 => format!("A {noun} in {}", place(rolls)),
        6 => format!("The {noun} and the {}", rolls.word(NOUNS)),
        7 => format!("{} the {} {noun}", rolls.word(VERBS), rolls.word(ADJECTIVES)),
        8 => format!("The {noun}'s {} {}", rolls.word(ADJECTIVES), rolls.word(NOUNS)),
        9 => format!("{} My {} {noun}", rolls.word(VERBS), rolls.word(ADJECTIVES)),
        10 => format!("{} {noun}s", rolls.word(ADJECTIVES)),
        11 => format!("{noun} of {}", place(rolls)),
        12 => format!("The {} {noun} of {}", rolls.word(ADJECTIVES), place(rolls)),
        _ => format!("{} {noun}, {} {}", rolls.word(ADJECTIVES), rolls.word(ADJECTIVES), rolls.word(NOUNS)),
    }
}

/// A line for the poster.
pub(crate) fn tagline(rolls: &mut Rolls) -> String {
    let (one, other) = (rolls.word(ADJECTIVES).to_lowercase(), rolls.word(NOUNS).to_lowercase());
    match rolls.below(4) {
        0 => format!("Every {other} has a {one} side."),
        1 => format!("{} the {one} {other} before it is too late", rolls.word(VERBS)),
        2 => format!("One {other}. One {one} {}.", rolls.word(NOUNS).to_lowercase()),
        _ => format!("\"No {other} stays {one} for ever\""),
    }
}

/// A town.
pub(crate) fn place(rolls: &mut Rolls) -> String {
    let first = rolls.word(TOWN_BEGINNINGS);
    let middle = rolls.word(&["", "", "a", "en", "i", "o", "un", "ar", "es"]);
    let last = rolls.word(TOWN_ENDINGS);
    format!("{first}{middle}{last}")
}

/// A country; the number keeps the names apart.
pub(crate) fn country(number: u32) -> String {
    let stem = COUNTRY_BEGINNINGS[number as usize % COUNTRY_BEGINNINGS.len()];
    format!(
        "{stem}{}",
        COUNTRY_ENDINGS
            [(number as usize / COUNTRY_BEGINNINGS.len() + number as usize) % COUNTRY_ENDINGS.len()]
    )
}

/// A language, called after a country.
pub(crate) fn language(number: u32) -> String {
    let country = country(number);
    let stem = country.trim_end_matches(|letter: char| "aeiou".contains(letter));
    match number % 3 {
        0 => format!("{stem}ian"),
        1 => format!("{stem}ese"),
        _ => format!("{country} Sign Language"),
    }
}

/// A genre; the number keeps the names apart.
pub(crate) fn genre(number: u32) -> String {
    let manner = MANNERS[number as usize / GENRES.len() % MANNERS.len()];
    format!("{manner}{}", GENRES[number as usize % GENRES.len()])
}

/// A company, without the form of its incorporation.
pub(crate) fn company(rolls: &mut Rolls) -> String {
    let trade = rolls.word(TRADES);
    match rolls.below(4) {
        0 => format!("{} {} {trade}", rolls.word(ADJECTIVES), rolls.word(NOUNS)),
        1 => format!("{} {trade}", place(rolls)),
        2 => format!("{} & {} {trade}", rolls.word(NOUNS), rolls.word(NOUNS)),
        _ => format!("{} {} {trade}", place(rolls), rolls.word(NOUNS)),
    }
}

/// An award.
pub(crate) fn award(rolls: &mut Rolls) -> String {
    let work = rolls.word(PRIZED_WORK);
    match rolls.below(3) {
        0 => format!("Golden {} for Best {work}", rolls.word(NOUNS)),
        1 => format!("{} Film Festival Prize for Best {work}", place(rolls)),
        _ => format!("{} Critics Circle Award for Best {work}", place(rolls)),
    }
}

/// What a character is called, given what a person might be.
pub(crate) fn character(given: &str, family: &str, rolls: &mut Rolls) -> String {
    match rolls.below(12) {
        0 => format!("Captain {family}"),
        1 => format!("Dr. {family}"),
        2 => format!("Inspector {family}"),
        3 => format!("The {} {}", rolls.word(ADJECTIVES), rolls.word(NOUNS)),
        4 => format!("Aunt {given}"),
        5 => format!("{given} the {}", rolls.word(ADJECTIVES)),
        6 => format!("{given} '{}' {family}", rolls.word(NOUNS)),
        _ => format!("{given} {family}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn small_classes_have_names_of_their_own() {
        let of = |name: fn(u32) -> String, count: u32| (0..count).map(name).collect::<BTreeSet<_>>().len();
        assert_eq!(of(country, 240), 240);
        assert_eq!(of(genre, 150), 150);
        assert_eq!(of(language, 240), 240);
    }
}
