//! The first look at a JSON text: its first error, and the sizes of its arrays.
//!
//! Nothing is built yet. A text that is refused costs two bytes for each array that was opened.

use super::elements::ELEMENT_LIMIT;
use super::json_error::{JsonError, JsonRefusal};
use super::json_tokens::{JsonToken, JsonTokens};

struct Reader<'a> {
    tokens: JsonTokens<'a>,
    depth: usize,
    budget: usize,
    sizes: Vec<u16>,
}

/// The number of elements or members of each array of a JSON text nested at most `depth` deep, in the order in which the
/// arrays begin.
pub(super) fn outline(text: &[u8], depth: usize) -> Result<Vec<u16>, JsonRefusal> {
    let mut reader = Reader {
        tokens: JsonTokens::new(text),
        depth,
        budget: ELEMENT_LIMIT,
        sizes: Vec::new(),
    };
    let first = reader.tokens.next()?;
    reader.value(first)?;
    match reader.tokens.next()? {
        JsonToken::End => Ok(reader.sizes),
        _ => Err(JsonError::Syntax.into()),
    }
}

// === impl Reader ===

impl Reader<'_> {
    fn value(&mut self, token: JsonToken<'_>) -> Result<(), JsonRefusal> {
        match token {
            JsonToken::Null | JsonToken::Bool(_) | JsonToken::Number(_) | JsonToken::Text(_) => Ok(()),
            JsonToken::OpenList => self.nested(Self::list),
            JsonToken::OpenMap => self.nested(Self::map),
            JsonToken::End
            | JsonToken::Comma
            | JsonToken::Colon
            | JsonToken::CloseList
            | JsonToken::CloseMap => Err(JsonError::Syntax.into()),
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Result<u16, JsonRefusal>) -> Result<(), JsonRefusal> {
        self.depth = self.depth.checked_sub(1).ok_or(JsonError::Depth)?;
        let place = self.sizes.len();
        self.sizes.push(0);
        let size = read(self)?;
        if let Some(slot) = self.sizes.get_mut(place) {
            *slot = size;
        }
        self.depth += 1;
        Ok(())
    }

    fn list(&mut self) -> Result<u16, JsonRefusal> {
        let mut size = 0;
        let mut token = self.tokens.next()?;
        loop {
            match token {
                JsonToken::CloseList if size == 0 => break,
                JsonToken::CloseMap if size == 0 => return Err(JsonError::StateMismatch.into()),
                _ => {}
            }
            size = self.counted(size)?;
            self.value(token)?;
            match self.tokens.next()? {
                JsonToken::Comma => token = self.tokens.next()?,
                JsonToken::CloseList => break,
                JsonToken::CloseMap => return Err(JsonError::StateMismatch.into()),
                _ => return Err(JsonError::Syntax.into()),
            }
        }
        Ok(size)
    }

    fn map(&mut self) -> Result<u16, JsonRefusal> {
        let mut size = 0;
        let mut token = self.tokens.next()?;
        loop {
            match token {
                JsonToken::CloseMap if size == 0 => break,
                JsonToken::CloseList if size == 0 => return Err(JsonError::StateMismatch.into()),
                JsonToken::Text(_) => size = self.counted(size)?,
                _ => return Err(JsonError::Syntax.into()),
            }
            self.member()?;
            match self.tokens.next()? {
                JsonToken::Comma => token = self.tokens.next()?,
                JsonToken::CloseMap => break,
                JsonToken::CloseList => return Err(JsonError::StateMismatch.into()),
                _ => return Err(JsonError::Syntax.into()),
            }
        }
        Ok(size)
    }

    fn member(&mut self) -> Result<(), JsonRefusal> {
        let JsonToken::Colon = self.tokens.next()? else {
            return Err(JsonError::Syntax.into());
        };
        let token = self.tokens.next()?;
        self.value(token)
    }

    /// The size of an array with one element more.
    fn counted(&mut self, size: u16) -> Result<u16, JsonRefusal> {
        let left = self.budget.checked_sub(1);
        self.budget = left.ok_or(JsonRefusal::TooManyElements)?;
        size.checked_add(1).ok_or(JsonRefusal::TooManyElements)
    }
}
