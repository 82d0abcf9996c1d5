//! How good is the model?
