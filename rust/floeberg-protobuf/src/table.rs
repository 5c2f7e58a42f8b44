//! How is a message told in one line a field?

/// A message, by a table of its fields. Reading and writing follow from it.
///
/// ```text
/// message! {
///     /// Some columns of a set of rows, and the deletes and ids of these rows.
///     pub struct Fragment {
///         /// The id, unique in the table.
///         id: u64 = 1,
///         /// The files, each with some of the columns.
///         files: Vec<DataFile> = 2,
///         /// What is deleted.
///         deletion_file: Option<DeletionFile> = 3,
///         /// The stable ids of the rows.
///         row_ids: Option<Lineage> = oneof { Lineage::Inline = 5, Lineage::Column = 12 },
///         ..unknown
///     }
/// }
/// ```
///
/// A line is a field of the structure, its type ([`Field`](crate::Field) says which there are) and its number in the `.proto`.
///
/// - Fields are as visible as the structure, and are written in the order of the lines. The compiler warns of a number that stands twice.
/// - `oneof` has a number for each variant of an enum. A range of numbers goes to a type that tells them apart itself.
/// - `..unknown`, in the last line, keeps fields with other numbers: an [`Unknown`](crate::Unknown). Without it they are passed over.
/// - The structure derives `Debug`, `Clone`, `Default`, `PartialEq` and `Eq`.
#[macro_export]
macro_rules! message {
    ($(#[$about:meta])* $visible:vis struct $message:ident {
        $(
            $(#[$meaning:meta])*
            $field:ident: $type:ty =
                $($number:literal $(..= $last:literal)?)?
                $(oneof { $($variant:path = $of_variant:literal),+ })?,
        )+
        $(.. $unknown:ident)?
    }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Default, PartialEq, Eq)]
        $visible struct $message {
            $(
                $(#[$meaning])*
                $visible $field: $type,
            )+
            $(
                /// What this version does not know.
                $visible $unknown: $crate::Unknown,
            )?
        }

        impl $crate::Message for $message {
            fn read(&mut self, record: &$crate::Record<'_>) -> $crate::Result<()> {
                match record.number {
                    $(
                        $($number $(..= $last)? => $crate::Field::read(&mut self.$field, record)?,)?
                        $($($of_variant => {
                            self.$field = Some($variant($crate::Single::of(record.value)?));
                        })+)?
                    )+
                    _ => {
                        $(self.$unknown.keep(record);)?
                    }
                }
                Ok(())
            }

            fn write(&self, out: &mut $crate::Encoder) {
                $(
                    $($crate::Field::write(&self.$field, $number, out);)?
                    $(match &self.$field {
                        $(Some($variant(value)) => $crate::Single::put(value, $of_variant, out),)+
                        None => {}
                    })?
                )+
                $(out.raw(&self.$unknown.0);)?
            }
        }
    };
}
