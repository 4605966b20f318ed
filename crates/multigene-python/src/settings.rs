//! Settings: a dataclass of `multigene.settings` read into the struct of the same fields in `multigene_core::settings`.
//!
//! `serde` tells names and types of the struct's fields; each is read off the attribute of that name. A new setting is a field
//! there and one in Python, and nothing in between.
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::de::value::{Error, MapDeserializer, SeqDeserializer};
use serde::de::{DeserializeOwned, Deserializer, Error as _, IntoDeserializer, Visitor};

/// An argument that is read into the engine's struct `T`.
pub struct Settings<T>(pub T);

impl<'py, T: DeserializeOwned> FromPyObject<'_, 'py> for Settings<T> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let read = T::deserialize(Value(object.to_owned()));
        read.map(Self).map_err(|error| PyValueError::new_err(error.to_string()))
    }
}

/// A value of Python, read as the type that the field has.
struct Value<'py>(Bound<'py, PyAny>);

impl IntoDeserializer<'_> for Value<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

macro_rules! plain {
    ($($method:ident: $type:ty => $visit:ident;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            visitor.$visit(self.0.extract::<$type>().map_err(Error::custom)?)
        }
    )*};
}

impl<'de> Deserializer<'de> for Value<'_> {
    type Error = Error;

    plain! {
        deserialize_bool: bool => visit_bool;
        deserialize_u32: u32 => visit_u32;
        deserialize_u64: u64 => visit_u64;
        deserialize_f64: f64 => visit_f64;
        deserialize_any: String => visit_string;
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.0.is_none() {
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let items: Vec<Bound<PyAny>> = self.0.extract().map_err(Error::custom)?;
        visitor.visit_seq(SeqDeserializer::new(items.into_iter().map(Value)))
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(self, _: &str, _: &[&str], visitor: V) -> Result<V::Value, Error> {
        let name: String = self.0.extract().map_err(Error::custom)?;
        visitor.visit_enum(name.into_deserializer())
    }

    fn deserialize_struct<V: Visitor<'de>>(self, _: &str, names: &'static [&str], visitor: V) -> Result<V::Value, Error> {
        let field = |name: &&'static str| Ok((*name, Value(self.0.getattr(*name).map_err(Error::custom)?)));
        let fields: Vec<(&str, Value)> = names.iter().map(field).collect::<Result<_, Error>>()?;
        visitor.visit_map(MapDeserializer::new(fields.into_iter()))
    }

    serde::forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u128 f32 char str string bytes byte_buf unit unit_struct newtype_struct tuple_struct map
        identifier ignored_any
    }
}
