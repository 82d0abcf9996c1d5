//! The words of the second catalogue.

use super::super::scale::Class::{self, *};
use super::super::truth::Property;
use super::{Detail, Filler, FillerGroup, Key, unfold};

/// The namespace of entities.
pub(crate) const ENTITIES: &str = "http://reel.example/";
/// The namespace of relations, keys and types.
pub(crate) const TERMS: &str = "http://reel.example/ns/";
/// The type all classes share.
pub(crate) const TOPIC: &str = "media_common.cataloged_instance";
/// The predicate that declares a type to be a compound value.
pub(crate) const MEDIATOR: &str = "freebase.type_hints.mediator";
/// Types people added for themselves, which cleaning removes.
pub(crate) const USER_TYPES: [&str; 10] = [
    "base.popstra.celebrity",
    "base.popstra.topic",
    "base.saturdaynightlive.topic",
    "base.ontologies.ontology_instance",
    "base.tagit.concept",
    "base.filmcameras.topic",
    "base.schemastaging.context_name",
    "base.oscars2009.favorites",
    "base.movietheatres.topic",
    "base.cinemainspector.film_place",
];

/// A statement about several things at once, which the catalogue writes as a node of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compound {
    /// Who plays whom in a film.
    Performance,
    /// Which award a person is nominated for, with which film.
    Nomination,
    /// Whom a person married, and where.
    Marriage,
}

impl Compound {
    /// All of them.
    pub(crate) const ALL: [Self; 3] = [Self::Performance, Self::Nomination, Self::Marriage];

    /// The type of the node.
    pub(crate) fn kind(self) -> &'static str {
        match self {
            Self::Performance => "film.performance",
            Self::Nomination => "award.award_nomination",
            Self::Marriage => "people.marriage",
        }
    }

    /// The relation that leads to the node.
    pub(crate) fn way_in(self) -> &'static str {
        match self {
            Self::Performance => "film.film.starring",
            Self::Nomination => "award.award_nominee.award_nominations",
            Self::Marriage => "people.person.spouse_s",
        }
    }

    /// The node a property is told through, where it is.
    pub(crate) fn of(property: Property) -> Option<Self> {
        match property {
            Property::Cast | Property::Role => Some(Self::Performance),
            Property::Nominated | Property::NominatedWork => Some(Self::Nomination),
            Property::Spouse | Property::WedIn => Some(Self::Marriage),
            _ => None,
        }
    }
}

/// What the catalogue calls a property; for compound ones, the way out of the node.
pub(crate) fn relation(property: Property) -> &'static str {
    use Property as P;
    match property {
        P::Cast => "film.performance.actor",
        P::Role => "film.performance.character",
        P::Directs => "film.film.directed_by",
        P::Writes => "film.film.written_by",
        P::Produces => "film.film.produced_by",
        P::Composes => "film.film.music",
        P::Photographs => "film.film.cinematography",
        P::Edits => "film.film.edited_by",
        P::Genre => "film.film.genre",
        P::Origin => "film.film.country",
        P::Spoken => "film.film.language",
        P::ShotAt => "film.film.featured_film_locations",
        P::MadeBy => "film.film.production_companies",
        P::SoldBy => "film.film.distributors",
        P::FollowedBy => "film.film.sequel",
        P::Honoured => "award.award_winning_work.awards_won",
        P::Nominated => "award.award_nomination.award",
        P::NominatedWork => "award.award_nomination.nominated_for",
        P::BornIn => "people.person.place_of_birth",
        P::LivesIn => "people.person.places_lived",
        P::Spouse => "people.marriage.spouse",
        P::WedIn => "people.marriage.location_of_ceremony",
        P::CitizenOf => "people.person.nationality",
        P::PlayedBy => "film.film_character.portrayed_by",
        P::BasedIn => "organization.organization.headquarters",
        P::LocatedIn => "location.location.containedby",
        P::Official => "location.country.official_language",
    }
}

/// The relations that fill up; the first nine hold every entity.
pub(crate) fn fillers() -> Vec<Filler> {
    let mut fillers = unfold(ANCHORS, 0, true);
    fillers.extend(unfold(SHARED, 9, false));
    fillers.extend(unfold(OWN, 1000, false));
    fillers
}

const ANY: u32 = u32::MAX;

/// In the order of the first catalogue's, with which they agree.
const ANCHORS: &[FillerGroup] = &[
    (Film, Film, 1400, ANY, "film.film.similar_films"),
    (Person, Person, 1400, ANY, "film.person.frequent_collaborators"),
    (Character, Character, 200, ANY, "fictional_universe.fictional_character.appears_with"),
    (Company, Company, 100, ANY, "organization.organization.partners"),
    (Award, Company, 4, 4, "award.award.presented_by"),
    (Genre, Genre, 4, 9, "media_common.media_genre.related_genres"),
    (Country, Country, 4, 8, "location.country.borders"),
    (Place, Place, 8, 24, "location.location.nearby"),
    (Language, Country, 4, 6, "language.human_language.countries_spoken_in"),
];
const SHARED: &[FillerGroup] = &[
    (Film, Film, 900, ANY, "film.film.viewers_also_watched"),
    (Person, Person, 800, ANY, "celebrities.celebrity.fans_also_like"),
    (Person, Film, 500, ANY, "people.person.notable_works"),
    (Film, Person, 500, ANY, "film.film.other_crew"),
];
const OWN: &[FillerGroup] = &[
    (
        Film,
        Person,
        110,
        ANY,
        "film.film.executive_produced_by film.film.casting_director film.film.costume_design_by \
         film.film.production_design_by film.film.film_art_direction_by film.film.film_set_decoration_by \
         film.film.story_by film.film.narrated_by",
    ),
    (
        Person,
        Person,
        420,
        ANY,
        "influence.influence_node.influenced_by people.person.friends celebrities.celebrity.rivals \
         people.person.mentors film.actor.shared_scenes_with people.person.classmates",
    ),
    (Film, Film, 360, ANY, "film.film.references film.film.remake_of film.film.double_billed_with"),
    (Person, Company, 120, ANY, "people.person.employment_history film.person.contracted_to"),
    (Company, Film, 120, ANY, "film.production_company.films film.film_distributor.films_distributed"),
    (
        Film,
        Person,
        100,
        ANY,
        "film.film.gaffer film.film.key_grip film.film.best_boy film.film.boom_operator film.film.sound_mixer \
         film.film.sound_editor film.film.foley_artist film.film.dialogue_coach film.film.script_supervisor \
         film.film.stunt_coordinator film.film.stunt_performers film.film.fight_choreographer \
         film.film.choreographer film.film.makeup_artist film.film.hair_stylist film.film.prosthetics_artist \
         film.film.visual_effects_supervisor film.film.special_effects_supervisor film.film.matte_painter \
         film.film.storyboard_artist film.film.concept_artist film.film.location_manager film.film.unit_manager \
         film.film.line_producer film.film.associate_producer film.film.co_producer \
         film.film.first_assistant_director film.film.second_assistant_director film.film.second_unit_director \
         film.film.camera_operator film.film.focus_puller film.film.clapper_loader film.film.steadicam_operator \
         film.film.still_photographer film.film.colorist film.film.negative_cutter film.film.title_designer \
         film.film.music_supervisor film.film.orchestrator film.film.conductor film.film.lyricist \
         film.film.vocal_coach film.film.animal_trainer film.film.armorer film.film.prop_master \
         film.film.set_dresser film.film.wardrobe_supervisor film.film.publicist film.film.production_accountant \
         film.film.script_editor",
    ),
    (
        Person,
        Person,
        350,
        ANY,
        "people.person.sibling_s people.person.business_partners film.director.favourite_actors \
         celebrities.celebrity.appeared_with_at_premiere music.artist.collaborators",
    ),
    (Film, Film, 300, ANY, "film.film.shares_props_with film.film.shot_back_to_back_with film.film.parodies"),
    (
        Person,
        Film,
        200,
        ANY,
        "film.person_or_entity_appearing_in_film.films film.actor.uncredited_appearances \
         film.film_critic.reviews people.person.favourite_films",
    ),
    (Company, Person, 100, ANY, "organization.organization.leadership organization.organization.founders"),
    (Company, Company, 50, ANY, "organization.organization.child organization.organization.competitors"),
    (Company, Film, 60, ANY, "film.film_company.restorations tv.tv_network.films_broadcast"),
    (Film, Company, 100, ANY, "film.film.rental_houses film.film.laboratories"),
    (Character, Film, 60, ANY, "film.film_character.mentioned_in"),
    (Character, Person, 40, ANY, "fictional_universe.fictional_character.based_on"),
    (Character, Character, 60, ANY, "fictional_universe.fictional_character.enemies"),
    (Character, Place, 10, 20, "fictional_universe.fictional_character.places_visited"),
    (Person, Place, 60, 40, "people.person.places_worked travel.traveller.destinations"),
    (Film, Place, 60, 40, "film.film.story_locations film.film.premiere_locations"),
    (Film, Country, 60, 30, "film.film.release_regions"),
    (Person, Award, 60, 40, "award.award_judge.awards_judged"),
    (Film, Award, 50, 30, "award.award_nominated_work.shortlisted_for"),
    (Person, Language, 20, 12, "people.person.languages"),
    (Film, Language, 20, 12, "film.film.dubbed_into"),
    (Place, Language, 2, 6, "location.location.languages"),
    (Country, Film, 4, ANY, "location.country.submitted_films"),
];

/// Types of each class, in the order of the classes.
pub(crate) const TYPES: &[&str] = &[
    // Films: the first six follow what the film is, the others what people filed it under.
    "film.film film.short_film film.documentary film.animated_film tv.tv_movie film.silent_film \
     award.award_winning_work award.award_nominated_work media_common.adapted_work media_common.adaptation \
     media_common.netflix_title film.film_series_entry film.feature_film film.independent_film film.cult_film \
     film.lost_film film.anthology_segment film.student_film film.concert_film film.propaganda_film \
     film.educational_film film.industrial_film film.experimental_film film.found_footage_film film.b_movie \
     film.serial_chapter film.newsreel film.travelogue film.home_movie film.director_cut \
     media_common.quotation_source media_common.dedicated_work visual_art.filmed_performance \
     theater.filmed_play opera.filmed_opera sports.filmed_event cvg.tie_in_film comic_books.comic_adaptation \
     broadcast.broadcast_content internet.web_release",
    // People: professions first.
    "people.person film.actor film.director film.writer film.producer film.music_contributor film.cinematographer \
     film.editor people.deceased_person award.award_winner award.award_nominee celebrities.celebrity tv.tv_actor \
     tv.tv_director tv.tv_writer tv.tv_producer tv.tv_personality tv.tv_program_guest tv.tv_program_creator \
     tv.tv_crewmember film.film_crewmember film.film_costumer_designer film.film_art_director \
     film.film_set_designer film.film_production_designer film.film_casting_director film.film_story_contributor \
     film.film_theorist film.film_critic film.person_or_entity_appearing_in_film film.dubbing_performer \
     film.stunt_performer film.film_festival_juror theater.theater_actor theater.theater_director \
     theater.theater_producer theater.theater_choreographer theater.theater_designer theater.playwright \
     music.artist music.composer music.lyricist music.songwriter music.guitarist music.pianist music.drummer \
     music.bassist music.conductor music.arranger music.engineer music.record_producer music.group_member \
     music.featured_artist music.opera_singer dance.dancer dance.choreographer book.author book.poet \
     book.illustrator book.editor book.translator book.journalist book.screenplay_author comic_books.creator \
     comic_books.penciler comic_books.writer visual_art.visual_artist visual_art.photographer visual_art.sculptor \
     visual_art.art_collector architecture.architect fashion.designer fashion.model fashion.stylist \
     radio.radio_host radio.radio_actor broadcast.announcer broadcast.newsreader internet.blogger \
     internet.video_creator comedy.comedian comedy.stand_up magic.illusionist circus.performer sports.pro_athlete \
     sports.coach boxing.boxer martial_arts.martial_artist olympics.competitor tennis.player \
     american_football.player soccer.player baseball.player basketball.player ice_hockey.player motorsport.driver \
     skiing.skier cycling.cyclist swimming.swimmer chess.player military.military_person military.veteran \
     government.politician government.ambassador royalty.noble_person royalty.chivalric_title_holder \
     law.judge law.inventor education.academic education.student business.board_member business.founder \
     business.investor medicine.physician religion.religious_leader symbols.namesake symbols.coat_of_arms_bearer \
     influence.influence_node people.family_member people.measured_person people.appointee \
     organization.organization_member organization.organization_founder freebase.person_entry",
    // Characters.
    "film.film_character fictional_universe.fictional_character fictional_universe.fictional_animal tv.tv_character \
     book.book_character theater.theater_character opera.opera_character comic_books.comic_character \
     cvg.game_character fictional_universe.person_in_fiction fictional_universe.robot_in_fiction \
     fictional_universe.deity_in_fiction fictional_universe.ghost_in_fiction fictional_universe.villain \
     fictional_universe.sidekick fictional_universe.superhero fictional_universe.detective \
     fictional_universe.spy fictional_universe.pirate fictional_universe.soldier_in_fiction \
     fictional_universe.royalty_in_fiction fictional_universe.physician_in_fiction symbols.mascot \
     amusement_parks.ride_character fictional_universe.time_traveller fictional_universe.alien_in_fiction \
     fictional_universe.animal_companion",
    // Companies.
    "organization.organization film.production_company film.film_distributor tv.tv_network film.special_effects_house \
     business.business_operation business.employer business.consumer_company business.brand_owner business.issuer \
     business.customer business.sponsor business.shopping_center_tenant film.film_company film.film_studio \
     film.animation_studio film.film_laboratory film.equipment_rental_house film.trailer_house film.dubbing_studio \
     film.talent_agency film.casting_agency film.film_archive film.film_school film.theater_chain \
     film.film_festival_organizer film.restoration_house tv.tv_production_company tv.tv_station_owner \
     broadcast.producer broadcast.distributor broadcast.radio_network music.record_label music.music_publisher \
     music.recording_studio book.publishing_company book.magazine_publisher cvg.cvg_developer cvg.cvg_publisher \
     internet.website_owner internet.streaming_service venture_capital.venture_funded_company \
     venture_capital.venture_investor award.ranked_company award.presenting_organization \
     organization.membership_organization organization.non_profit organization.organization_partnership \
     architecture.building_owner aviation.aircraft_owner",
    // Awards.
    "award.award award.festival_prize award.critics_prize award.award_category award.lifetime_award award.jury_prize \
     award.audience_prize award.guild_award award.technical_award award.student_award award.grant \
     award.hall_of_fame award.national_honour award.recurring_award award.competition",
    // Genres.
    "media_common.media_genre film.film_genre tv.tv_genre book.book_genre cvg.game_genre theater.theater_genre \
     music.soundtrack_genre media_common.literary_genre comic_books.comic_genre film.film_subject",
    // Countries.
    "location.country location.former_country location.statistical_region location.dated_location \
     government.governmental_jurisdiction government.political_district military.military_combatant \
     olympics.participating_country sports.team_location organization.scope periodicals.circulation_area \
     biology.breed_origin food.beverage_country travel.travel_region",
    // Places.
    "location.citytown location.region film.film_location location.location location.hud_county_place \
     location.census_place location.neighborhood location.island location.mountain_range location.lake \
     location.river location.desert location.harbor location.province location.capital travel.travel_destination \
     travel.tourist_attraction architecture.structure architecture.building architecture.castle \
     architecture.skyscraper architecture.lighthouse protected_sites.natural_reserve protected_sites.listed_site \
     geography.geographical_feature geography.peninsula geography.valley geography.cave transportation.bridge \
     transportation.road metropolitan_transit.transit_stop rail.railway_station aviation.airport \
     education.campus amusement_parks.park",
    // Languages.
    "language.human_language language.language_dialect language.sign_language language.extinct_language \
     language.constructed_language language.language_family_member language.official_tongue language.written_language",
];

const fn key(name: &'static str, class: Class, detail: Detail, per_mille: u32) -> Key {
    Key { name, class, detail, per_mille }
}

/// Attribute keys, without the labels.
pub(crate) const KEYS: &[Key] = &[
    key("film.film.initial_release_date", Film, Detail::Released, 800),
    key("film.film.runtime", Film, Detail::Runtime, 700),
    key("film.film.tagline", Film, Detail::Tagline, 400),
    key("film.film.estimated_budget", Film, Detail::Budget, 350),
    key("film.film.original_title", Film, Detail::OriginalTitle, 350),
    key("film.film.gross_revenue", Film, Detail::Gross, 300),
    key("film.film.content_rating", Film, Detail::Certificate, 500),
    key("film.film.netflix_id", Film, Detail::Identifier, 300),
    key("film.film.average_score", Film, Detail::Rating, 500),
    key("film.film.score_count", Film, Detail::Votes, 300),
    key("film.film.color_process", Film, Detail::Colour, 400),
    key("film.film.copyright_year", Film, Detail::Year, 400),
    key("film.film.trailers", Film, Detail::WebPage, 250),
    key("film.film.rottentomatoes_id", Film, Detail::Identifier, 250),
    key("film.film.metacritic_id", Film, Detail::Identifier, 200),
    key("film.film.fandango_id", Film, Detail::Identifier, 150),
    key("film.film.nytimes_id", Film, Detail::Identifier, 150),
    key("film.film.apple_movietrailer_id", Film, Detail::Identifier, 100),
    key("film.film.aspect_ratio", Film, Detail::Quantity(1, 3), 200),
    key("film.film.sound_mix", Film, Detail::Remark, 150),
    key("film.film.negative_format", Film, Detail::Remark, 120),
    key("film.film.opening_weekend", Film, Detail::Quantity(0, 40_000_000), 150),
    key("film.film.number_of_screens", Film, Detail::Quantity(0, 4_000), 150),
    key("film.film.production_code", Film, Detail::Identifier, 80),
    key("film.film.reel_count", Film, Detail::Quantity(0, 14), 80),
    key("people.person.date_of_birth", Person, Detail::Born, 700),
    key("people.person.gender", Person, Detail::Gender, 800),
    key("people.person.height_meters", Person, Detail::HeightInMetres, 500),
    key("people.deceased_person.date_of_death", Person, Detail::Died, 700),
    key("people.person.birth_name", Person, Detail::BirthName, 250),
    key("people.person.weight_kg", Person, Detail::Quantity(45, 110), 250),
    key("film.actor.netflix_id", Person, Detail::Identifier, 200),
    key("people.person.tvrage_id", Person, Detail::Identifier, 150),
    key("people.person.signature_image", Person, Detail::WebPage, 100),
    key("celebrities.celebrity.net_worth", Person, Detail::Quantity(0, 90_000_000), 100),
    key("people.person.social_handle", Person, Detail::Identifier, 150),
    key("people.person.children_count", Person, Detail::Quantity(0, 6), 150),
    key("people.person.career_start", Person, Detail::SomeYear, 200),
    key("film.actor.screen_debut", Person, Detail::SomeYear, 200),
    key("people.person.quotation", Person, Detail::Remark, 80),
    key("common.topic.description", Character, Detail::Description, 300),
    key("fictional_universe.fictional_character.age", Character, Detail::Quantity(0, 90), 200),
    key("organization.organization.date_founded", Company, Detail::Founded, 650),
    key("organization.organization.slogan", Company, Detail::Remark, 200),
    key("business.business_operation.number_of_employees", Company, Detail::Quantity(0, 9_000), 300),
    key("organization.organization.date_dissolved", Company, Detail::SomeYear, 150),
    key("business.issuer.ticker_symbol", Company, Detail::Identifier, 100),
    key("organization.organization.legal_form", Company, Detail::Remark, 150),
    key("business.business_operation.revenue", Company, Detail::Quantity(0, 900_000_000), 200),
    key("organization.organization.phone_number", Company, Detail::Quantity(0, 999_999_999), 150),
    key("organization.organization.registration_number", Company, Detail::Identifier, 150),
    key("award.award.first_awarded", Award, Detail::Founded, 600),
    key("award.award.prize_money", Award, Detail::Quantity(0, 50_000), 300),
    key("award.award.ceremony_count", Award, Detail::Quantity(0, 90), 300),
    key("media_common.media_genre.summary", Genre, Detail::Description, 400),
    key("location.country.iso3166_alpha_2", Country, Detail::Iso, 850),
    key("location.country.calling_code", Country, Detail::Quantity(0, 999), 600),
    key("location.country.internet_tld", Country, Detail::Identifier, 500),
    key("location.country.currency_code", Country, Detail::Identifier, 500),
    key("location.statistical_region.population", Place, Detail::Population, 650),
    key("location.location.area", Place, Detail::Quantity(0, 5_000), 500),
    key("location.geocode.latitude", Place, Detail::Quantity(0, 90), 500),
    key("location.geocode.longitude", Place, Detail::Quantity(0, 180), 500),
    key("location.geocode.elevation", Place, Detail::Quantity(0, 3_000), 300),
    key("location.postal_code.postal_code", Place, Detail::Quantity(0, 99_999), 300),
    key("language.human_language.iso_639_3_code", Language, Detail::Iso, 750),
    key("language.human_language.native_speakers", Language, Detail::Quantity(0, 90_000_000), 500),
];
