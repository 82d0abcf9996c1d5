//! Are links found in a small world, and are reasons what they say?
