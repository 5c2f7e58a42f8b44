use crate::error::ErrorKind;
use crate::schema::{PrimitiveType, Type};

#[test]
fn canonical_strings_read_and_are_written_as_they_were() {
    for text in [
        "unknown",
        "boolean",
        "int",
        "long",
        "float",
        "double",
        "date",
        "time",
        "timestamp",
        "timestamptz",
        "timestamp_ns",
        "timestamptz_ns",
        "string",
        "uuid",
        "binary",
        "decimal(9,2)",
        "decimal(38,38)",
        "fixed[16]",
        "geometry",
        "geometry(srid:4326)",
        "geography",
        "geography(srid:4326)",
        "geography(srid:4326, spherical)",
        "geography(srid:4326, karney)",
    ] {
        let parsed: PrimitiveType = text.parse().unwrap();
        assert_eq!(parsed.to_string(), text);
        assert_eq!(text.parse::<Type>().unwrap(), Type::Primitive(parsed));
    }
    assert_eq!("variant".parse::<Type>().unwrap(), Type::Variant);
}

#[test]
fn whitespace_case_and_quotes_do_not_matter() {
    for (written, canonical) in [
        ("decimal( 9 , 2 )", "decimal(9,2)"),
        ("decimal (9, 2)", "decimal(9,2)"),
        (" LONG ", "long"),
        ("fixed[ 16 ]", "fixed[16]"),
        ("geometry( srid:3857 )", "geometry(srid:3857)"),
        ("geometry('EPSG:4326')", "geometry(EPSG:4326)"),
        ("geography(\"OGC:CRS84\",Karney)", "geography(OGC:CRS84, karney)"),
        ("GEOGRAPHY ( srid:4326 ,  KARNEY )", "geography(srid:4326, karney)"),
        ("Geometry", "geometry"),
        ("Variant", "variant"),
    ] {
        assert_eq!(written.parse::<Type>().unwrap().to_string(), canonical);
    }
}

#[test]
fn unknown_strings_are_kept_as_written() {
    for text in [
        "interval",
        "decimal",
        "decimal(9)",
        "decimal(9,-2)",
        "decimal(9,2",
        "decimal[9,2]x",
        "fixed",
        "fixed[x]",
        "int(4)",
        "geometry()",
        "geography(x, straight)",
        "",
        "struct",
        "decimal(9,2,1)",
        "é(",
    ] {
        assert_eq!(text.parse::<Type>().unwrap(), Type::Unrecognized(text.into()), "{text}");
        assert_eq!(text.parse::<PrimitiveType>().unwrap_err().kind(), ErrorKind::InvalidData);
    }
}

#[test]
fn parameters_outside_their_limits_are_invalid_data() {
    for text in ["decimal(39,2)", "decimal(0,0)", "decimal(4,5)", "decimal(300,2)", "fixed[2147483648]"] {
        assert_eq!(text.parse::<Type>().unwrap_err().kind(), ErrorKind::InvalidData, "{text}");
    }
}
