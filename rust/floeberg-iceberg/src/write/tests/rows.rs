//! Random types and values of them.

use floeberg_core::schema::{Field, ListType, MapType, PrimitiveType, StructType, Type};
use floeberg_core::value::Value;
use proptest::prelude::*;

/// A type that is not nested.
pub(super) fn primitives() -> impl Strategy<Value = PrimitiveType> {
    use PrimitiveType as P;
    prop_oneof![
        prop::sample::select(vec![P::Boolean, P::Int, P::Long, P::Float, P::Double, P::Date, P::Time]),
        prop::sample::select(vec![
            P::Timestamp,
            P::Timestamptz,
            P::TimestampNs,
            P::TimestamptzNs,
            P::String,
            P::Uuid,
            P::Binary
        ]),
        prop::sample::select(vec![P::Unknown, P::Geometry { crs: None }]),
        (1_u32..20).prop_map(P::Fixed),
        (1_u8..=38, 0_u8..5)
            .prop_map(|(precision, scale)| P::Decimal { precision, scale: scale.min(precision) }),
    ]
}

/// A type; field ids are given by [`numbered`].
pub(super) fn types() -> impl Strategy<Value = Type> {
    primitives().prop_map(Type::Primitive).prop_recursive(3, 12, 3, |inner| {
        let field = |name: &'static str, required: BoxedStrategy<bool>| {
            (inner.clone().prop_filter("stored", is_stored), required).prop_map(
                move |(field_type, required)| Field { required, ..Field::optional(0, name, field_type) },
            )
        };
        let any_field = |name| field(name, any::<bool>().boxed());
        prop_oneof![
            (any_field("a b"), any_field("c.d"))
                .prop_map(|(one, other)| Type::Struct(StructType { fields: vec![one, other] })),
            any_field("element").prop_map(|element| Type::List(Box::new(ListType { element }))),
            (field("key", Just(true).boxed()), any_field("value"))
                .prop_map(|(key, value)| Type::Map(Box::new(MapType { key, value }))),
        ]
    })
}

/// Files hold no unknown values in lists and maps, and no struct of nothing else.
fn is_stored(field_type: &Type) -> bool {
    *field_type != Type::Primitive(PrimitiveType::Unknown)
}

/// The same type, with field ids from a number on.
pub(super) fn numbered(field_type: Type, next: &mut i32) -> Type {
    let mut number = |field: Field| {
        *next += 1;
        let id = *next;
        Field { id, field_type: numbered(field.field_type, next), ..field }
    };
    match field_type {
        Type::Struct(fields) => {
            Type::Struct(StructType { fields: fields.fields.into_iter().map(&mut number).collect() })
        }
        Type::List(list) => Type::List(Box::new(ListType { element: number(list.element) })),
        Type::Map(map) => {
            let key = number(map.key);
            Type::Map(Box::new(MapType { key, value: number(map.value) }))
        }
        other => other,
    }
}

/// A value of a field, null where it may be.
pub(super) fn values(field: &Field) -> BoxedStrategy<Option<Value>> {
    if field.field_type == Type::Primitive(PrimitiveType::Unknown) {
        return Just(None).boxed();
    }
    let value = some(&field.field_type);
    if field.required { value.prop_map(Some).boxed() } else { prop::option::weighted(0.8, value).boxed() }
}

fn some(field_type: &Type) -> BoxedStrategy<Value> {
    match field_type {
        Type::Primitive(primitive) => some_primitive(primitive),
        Type::Struct(fields) => {
            let fields: Vec<_> = fields.fields.iter().map(|field| (Just(field.id), values(field))).collect();
            fields.prop_map(Value::Struct).boxed()
        }
        Type::List(list) => prop::collection::vec(values(&list.element), 0..4).prop_map(Value::List).boxed(),
        Type::Map(map) => prop::collection::vec((some(&map.key.field_type), values(&map.value)), 0..3)
            .prop_map(Value::Map)
            .boxed(),
        Type::Variant | Type::Unrecognized(_) => panic!("no values of {field_type}"),
    }
}

fn some_primitive(primitive: &PrimitiveType) -> BoxedStrategy<Value> {
    use PrimitiveType as P;
    let time = 0_i64..86_400_000_000;
    match primitive {
        P::Boolean => any::<bool>().prop_map(Value::Boolean).boxed(),
        P::Int => any::<i32>().prop_map(Value::Int).boxed(),
        P::Date => any::<i32>().prop_map(Value::Date).boxed(),
        P::Long => any::<i64>().prop_map(Value::Long).boxed(),
        P::Time => time.prop_map(Value::Time).boxed(),
        P::Timestamp => any::<i64>().prop_map(Value::Timestamp).boxed(),
        P::Timestamptz => any::<i64>().prop_map(Value::Timestamptz).boxed(),
        P::TimestampNs => any::<i64>().prop_map(Value::TimestampNs).boxed(),
        P::TimestamptzNs => any::<i64>().prop_map(Value::TimestamptzNs).boxed(),
        P::Float => floats().prop_map(|value| Value::Float(value as f32)).boxed(),
        P::Double => floats().prop_map(Value::Double).boxed(),
        P::String => texts().prop_map(Value::String).boxed(),
        P::Uuid => any::<[u8; 16]>().prop_map(Value::Uuid).boxed(),
        P::Binary | P::Geometry { .. } | P::Geography { .. } => bytes(0..30).prop_map(Value::Binary).boxed(),
        P::Fixed(length) => bytes(*length as usize..*length as usize + 1).prop_map(Value::Fixed).boxed(),
        P::Decimal { precision, scale } => {
            let (most, scale) = (10_i128.pow(u32::from(*precision)) - 1, *scale);
            (-most..=most).prop_map(move |unscaled| Value::Decimal { unscaled, scale }).boxed()
        }
        P::Unknown => panic!("a value of type unknown"),
    }
}

fn floats() -> impl Strategy<Value = f64> {
    let special = vec![0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1.5];
    prop_oneof![2 => prop::sample::select(special), 1 => -1e9..1e9_f64]
}

/// Among them long ones, whose last characters have no successor.
fn texts() -> impl Strategy<Value = String> {
    let characters = prop::sample::select(vec!['a', '\u{d7ff}', '\u{10ffff}', 'é', '🧊']);
    prop::collection::vec(characters, 0..20).prop_map(String::from_iter)
}

fn bytes(length: std::ops::Range<usize>) -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop::sample::select(vec![0, 1, 254, 255]), length)
}
