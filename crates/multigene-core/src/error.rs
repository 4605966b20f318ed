//! Errors of the engine: each a sentence that names the value and the remedy.
use std::fmt;

/// What went wrong, as a sentence for the person who called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(String);

/// Result of the engine's fallible functions.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error with this sentence.
    pub fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

/// The beginning of a text, for messages.
pub fn shortened(text: &str) -> String {
    const SHOWN: usize = 60;
    let mut start: String = text.chars().take(SHOWN).collect();
    if start.len() < text.len() {
        start.push('…');
    }
    start
}
