use crate::schema::{PrimitiveType, promotes_to};

const NAMES: [&str; 20] = [
    "boolean",
    "int",
    "long",
    "float",
    "double",
    "decimal(9,2)",
    "decimal(10,2)",
    "decimal(10,3)",
    "date",
    "time",
    "timestamp",
    "timestamptz",
    "timestamp_ns",
    "timestamptz_ns",
    "string",
    "uuid",
    "fixed[16]",
    "binary",
    "geometry",
    "unknown",
];

#[test]
fn only_the_promotions_of_the_specification_are_allowed() {
    let allowed = [
        ("int", "long"),
        ("float", "double"),
        ("date", "timestamp"),
        ("date", "timestamp_ns"),
        ("decimal(9,2)", "decimal(10,2)"),
    ];
    for from in NAMES {
        for to in NAMES {
            let expected = from == to || from == "unknown" || allowed.contains(&(from, to));
            let [a, b] = [from, to].map(|name| name.parse::<PrimitiveType>().unwrap());
            assert_eq!(promotes_to(&a, &b), expected, "{from} to {to}");
        }
    }
}
