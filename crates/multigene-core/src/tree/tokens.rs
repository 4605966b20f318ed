//! The words of a gene's text: numbers, names and signs. `text.rs` reads them.
use crate::error::{Error, Result};

/// A word of a gene's text.
#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    /// Without a sign.
    Number(f64),
    /// Of a variable or a function.
    Name(String),
    /// Of an operator, or a bracket.
    Sign(&'static str),
}

impl std::fmt::Display for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(value) => write!(f, "{value}"),
            Self::Name(name) => write!(f, "{name:?}"),
            Self::Sign(sign) => write!(f, "{sign:?}"),
        }
    }
}

/// Cuts a text into its words.
pub fn tokenise(text: &str) -> Result<Vec<Token>> {
    const SIGNS: [&str; 14] = ["**", "+", "-", "*", "/", "^", "(", ")", "[", "]", "{", "}", ",", ":"];
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let end = if first.is_ascii_digit() || first == '.' {
            let end = number_end(rest);
            let value: f64 = rest[..end]
                .parse()
                .map_err(|_| Error::new(format!("{:?} is not a number", &rest[..end])))?;
            if !value.is_finite() {
                return Err(Error::new(format!("the number {:?} is too large", &rest[..end])));
            }
            tokens.push(Token::Number(value));
            end
        } else if first.is_alphabetic() || first == '_' {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            tokens.push(Token::Name(rest[..end].into()));
            end
        } else if let Some(sign) = SIGNS.iter().find(|s| rest.starts_with(**s)) {
            tokens.push(Token::Sign(sign));
            sign.len()
        } else {
            return Err(Error::new(format!("unexpected character {first:?}")));
        };
        rest = rest[end..].trim_start();
    }
    Ok(tokens)
}

/// Length of the number that a text begins with.
fn number_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |mut i: usize| {
        while i < bytes.len() && bytes[i].is_ascii_digit() {
            i += 1;
        }
        i
    };
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        if exponent > end + 1 + sign {
            end = exponent;
        }
    }
    end
}
