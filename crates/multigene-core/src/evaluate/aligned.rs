//! Rows that begin on a cache line: a vector register's worth of them then never straddles two lines, which would make every
//! load and store of the widest vectors twice as slow.
use std::ops::{Deref, DerefMut};

/// Bytes of a cache line, and of the widest vector.
const LINE: usize = 64;
const SLACK: usize = LINE / size_of::<f64>();

/// A fixed number of doubles, the first at the start of a cache line.
#[derive(Default)]
pub struct Aligned {
    // Longer than needed by a line; never reallocated, so the offset stays right.
    storage: Vec<f64>,
    offset: usize,
    len: usize,
}

impl Aligned {
    /// What a vector of `len` values should have room for, so that it becomes aligned in its own memory.
    pub fn room(len: usize) -> usize {
        len + SLACK
    }

    /// `len` zeros.
    pub fn zeros(len: usize) -> Self {
        let storage = vec![0.0; len + SLACK];
        // `align_offset` may decline to answer; alignment is for speed alone, so any offset within the slack is right.
        let offset = storage.as_ptr().align_offset(LINE).min(SLACK);
        Self { storage, offset, len }
    }

    /// Makes room for `len` values. What is in it is lost if there was less.
    pub fn reserve(&mut self, len: usize) {
        if self.len < len {
            *self = Self::zeros(len);
        }
    }

    /// The values.
    pub fn as_slice(&self) -> &[f64] {
        self
    }
}

impl Deref for Aligned {
    type Target = [f64];
    fn deref(&self) -> &[f64] {
        &self.storage[self.offset..self.offset + self.len]
    }
}

impl DerefMut for Aligned {
    fn deref_mut(&mut self) -> &mut [f64] {
        &mut self.storage[self.offset..self.offset + self.len]
    }
}

impl From<&[f64]> for Aligned {
    fn from(values: &[f64]) -> Self {
        let mut aligned = Self::zeros(values.len());
        aligned.copy_from_slice(values);
        aligned
    }
}

impl From<Vec<f64>> for Aligned {
    /// In the same memory where it has room for a line more: a second copy of many rows takes longer than the rest of their checks.
    fn from(mut values: Vec<f64>) -> Self {
        let len = values.len();
        values.resize(len + SLACK, 0.0);
        let offset = values.as_ptr().align_offset(LINE).min(SLACK);
        values.copy_within(..len, offset);
        Self {
            storage: values,
            offset,
            len,
        }
    }
}

impl Clone for Aligned {
    fn clone(&self) -> Self {
        Self::from(&**self)
    }
}

impl PartialEq for Aligned {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl std::fmt::Debug for Aligned {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_begin_on_a_line_also_when_cloned() {
        for len in [1, 7, 32, 500] {
            let values: Vec<f64> = (0..len).map(f64::from).collect();
            let aligned = Aligned::from(values.clone());
            let mut roomy = Vec::with_capacity(Aligned::room(values.len()));
            roomy.extend(&values);
            let before = roomy.as_ptr() as usize;
            let moved = Aligned::from(roomy);
            assert!(moved.as_ptr() as usize - before < LINE, "it has stayed where it was");
            for rows in [&aligned, &aligned.clone(), &moved] {
                assert_eq!(rows.as_ptr() as usize % LINE, 0);
                assert_eq!(rows.as_slice(), values);
            }
        }
    }
}
