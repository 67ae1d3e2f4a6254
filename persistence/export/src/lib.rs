//! Tables as files: CSV for spreadsheets, Parquet for whoever computes with them.
//!
//! Owns: how columns stand in each format, and the stamp that says where a table is from. Never does: know what a table tells; touch a
//! disk. Invariants: amounts are exact in both: text with up to eight decimals, and `DECIMAL(38, 8)`. Known limits: a table is made in
//! memory; Parquet files have one row group and are not compressed. It is a crate of its own since no other needs `parquet`.

use parquet::data_type::{ByteArray, ByteArrayType, FixedLenByteArray, FixedLenByteArrayType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::sync::Arc;
use xng_core::money::Amount;

/// A column's values, one a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Values {
    /// Days since the epoch; `YYYY-MM-DD` in CSV.
    Days(Vec<u32>),
    /// Texts.
    Texts(Vec<String>),
    /// Whole numbers.
    Counts(Vec<u64>),
    /// Amounts.
    Amounts(Vec<Amount>),
}

impl Values {
    fn len(&self) -> usize {
        match self {
            Values::Days(values) => values.len(),
            Values::Texts(values) => values.len(),
            Values::Counts(values) => values.len(),
            Values::Amounts(values) => values.len(),
        }
    }

    fn text(&self, row: usize) -> String {
        match self {
            Values::Days(values) => date(values[row]),
            Values::Texts(values) => without_formula(&values[row]),
            Values::Counts(values) => values[row].to_string(),
            Values::Amounts(values) => values[row].to_string(),
        }
    }

    /// As a schema of Parquet has it.
    fn type_of(&self, name: &str) -> String {
        match self {
            Values::Days(_) => format!("REQUIRED INT32 {name} (DATE);"),
            Values::Texts(_) => format!("REQUIRED BYTE_ARRAY {name} (STRING);"),
            Values::Counts(_) => format!("REQUIRED INT64 {name};"),
            Values::Amounts(_) => format!("REQUIRED FIXED_LEN_BYTE_ARRAY (16) {name} (DECIMAL(38, 8));"),
        }
    }
}

/// A table: columns of one length, and what the file says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Names (letters, digits and `_`) and values of the columns.
    pub columns: Vec<(&'static str, Values)>,
    /// Where it is from: names and values, in order.
    pub stamp: Vec<(&'static str, String)>,
}

/// A table that makes no file.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// Columns of different lengths.
    #[error("column {0} has another number of rows than the first one")]
    Uneven(&'static str),
    /// Parquet takes no such table.
    #[error("cannot write Parquet: {0}")]
    Parquet(#[from] ParquetError),
}

impl Table {
    fn rows(&self) -> Result<usize, ExportError> {
        let rows = self.columns.first().map_or(0, |(_, values)| values.len());
        match self.columns.iter().find(|(_, values)| values.len() != rows) {
            Some((name, _)) => Err(ExportError::Uneven(name)),
            None => Ok(rows),
        }
    }

    /// The table as CSV: a line with the stamp that begins with `#`, the names, the rows.
    ///
    /// # Errors
    /// [`ExportError::Uneven`].
    ///
    /// # Panics
    /// Never: memory takes what is written.
    pub fn csv(&self) -> Result<Vec<u8>, ExportError> {
        let rows = self.rows()?;
        let stamp: Vec<String> =
            self.stamp.iter().map(|(name, value)| format!("{name} {}", without_formula(value))).collect();
        let mut made = format!("# {}\n", stamp.join(", ").replace(['\r', '\n'], " ")).into_bytes();
        let mut table = csv::Writer::from_writer(&mut made);
        table.write_record(self.columns.iter().map(|(name, _)| *name)).expect("memory takes it");
        for row in 0..rows {
            let line = self.columns.iter().map(|(_, values)| values.text(row));
            table.write_record(line).expect("memory takes it");
        }
        table.flush().expect("memory takes it");
        drop(table);
        Ok(made)
    }

    /// The table as a Parquet file, with the stamp among its metadata.
    ///
    /// # Errors
    /// See [`ExportError`].
    pub fn parquet(&self) -> Result<Vec<u8>, ExportError> {
        self.rows()?;
        let types: Vec<String> = self.columns.iter().map(|(name, values)| values.type_of(name)).collect();
        let schema = Arc::new(parse_message_type(&format!("message table {{ {} }}", types.join(" ")))?);
        let stamp = self.stamp.iter().map(|(name, value)| KeyValue::new((*name).to_owned(), value.clone())).collect();
        let properties = WriterProperties::builder().set_key_value_metadata(Some(stamp)).build();
        let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties))?;
        let mut group = writer.next_row_group()?;
        for (_, values) in &self.columns {
            let Some(mut column) = group.next_column()? else { break };
            match values {
                Values::Days(days) => {
                    let days: Vec<i32> = days.iter().map(|day| i32::try_from(*day).unwrap_or(i32::MAX)).collect();
                    column.typed::<Int32Type>().write_batch(&days, None, None)?;
                }
                Values::Texts(texts) => {
                    let texts: Vec<ByteArray> = texts.iter().map(|text| ByteArray::from(text.as_str())).collect();
                    column.typed::<ByteArrayType>().write_batch(&texts, None, None)?;
                }
                Values::Counts(counts) => {
                    let counts: Vec<i64> = counts.iter().map(|n| i64::try_from(*n).unwrap_or(i64::MAX)).collect();
                    column.typed::<Int64Type>().write_batch(&counts, None, None)?;
                }
                Values::Amounts(amounts) => {
                    let bytes = |amount: &Amount| FixedLenByteArray::from(amount.0.to_be_bytes().to_vec());
                    let amounts: Vec<FixedLenByteArray> = amounts.iter().map(bytes).collect();
                    column.typed::<FixedLenByteArrayType>().write_batch(&amounts, None, None)?;
                }
            }
            column.close()?;
        }
        group.close()?;
        Ok(writer.into_inner()?)
    }
}

/// A field of CSV that is no formula for who opens it.
#[must_use]
pub fn without_formula(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    if formula { format!("'{text}") } else { text.to_owned() }
}

/// A day since the epoch as `YYYY-MM-DD`.
#[must_use]
pub fn date(day: u32) -> String {
    let far = jiff::civil::Date::MAX;
    jiff::civil::date(1970, 1, 1).checked_add(jiff::Span::new().days(day)).unwrap_or(far).to_string()
}

/// A date as [`date`] writes it, as the day since the epoch.
#[must_use]
pub fn day(text: &str) -> Option<u32> {
    // A time behind it would be taken, too.
    let date: jiff::civil::Date = (text.len() == 10).then(|| text.parse().ok())??;
    u32::try_from((date - jiff::civil::date(1970, 1, 1)).get_days()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;
    use xng_core::money::ONE;

    fn table() -> Table {
        Table {
            columns: vec![
                ("day", Values::Days(vec![0, 20_786])),
                ("who", Values::Texts(vec!["=1+1".into(), "users, all".into()])),
                ("moves", Values::Counts(vec![3, 0])),
                ("total", Values::Amounts(vec![Amount(-ONE / 2), Amount(9_223_372_036_854_775_808 * ONE + 1)])),
            ],
            stamp: vec![("record", "0/77".into()), ("by", "anna@staff-1".into())],
        }
    }

    #[test]
    fn days_are_dates_and_back() {
        for (day_number, text) in
            [(0, "1970-01-01"), (59, "1970-03-01"), (19_782, "2024-02-29"), (20_786, "2026-11-29")]
        {
            assert_eq!((date(day_number).as_str(), day(text)), (text, Some(day_number)));
        }
        for wrong in ["", "2026-02-30", "1969-12-31", "29.11.2026", "2026-11-29T00:00"] {
            assert_eq!(day(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn csv_has_a_stamp_the_names_and_no_formula() {
        let made = String::from_utf8(table().csv().unwrap()).unwrap();
        assert_eq!(
            made,
            "# record 0/77, by anna@staff-1\nday,who,moves,total\n1970-01-01,'=1+1,3,-0.5\n\
             2026-11-29,\"users, all\",0,9223372036854775808.00000001\n"
        );
    }

    #[test]
    fn parquet_has_types_exact_amounts_and_the_stamp() {
        let file = SerializedFileReader::new(parquet_bytes(&table())).unwrap();
        let rows: Vec<Vec<Field>> = file
            .get_row_iter(None)
            .unwrap()
            .map(|row| row.unwrap().get_column_iter().map(|(_, field)| field.clone()).collect())
            .collect();
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[1][..3], [Field::Date(20_786), Field::Str("users, all".into()), Field::Long(0)]);
        let amounts = rows.iter().map(|row| {
            let Field::Decimal(number) = &row[3] else { panic!("{row:?}") };
            assert_eq!((number.precision(), number.scale()), (38, 8));
            Amount(i128::from_be_bytes(number.data().try_into().unwrap()))
        });
        assert_eq!(amounts.collect::<Vec<_>>(), [Amount(-ONE / 2), Amount(9_223_372_036_854_775_808 * ONE + 1)]);
        let stamp = file.metadata().file_metadata().key_value_metadata().unwrap();
        let stamp: Vec<_> = stamp.iter().map(|pair| (pair.key.as_str(), pair.value.as_deref())).collect();
        assert_eq!(stamp, [("record", Some("0/77")), ("by", Some("anna@staff-1"))]);
    }

    #[test]
    fn a_table_without_rows_is_a_file_and_one_with_uneven_columns_is_none() {
        let mut table = table();
        table.columns.truncate(1);
        table.columns[0].1 = Values::Days(Vec::new());
        assert_eq!(String::from_utf8(table.csv().unwrap()).unwrap(), "# record 0/77, by anna@staff-1\nday\n");
        let file = SerializedFileReader::new(parquet_bytes(&table)).unwrap();
        assert_eq!(file.metadata().file_metadata().num_rows(), 0);
        table.columns.push(("moves", Values::Counts(vec![1])));
        assert!(matches!(table.csv(), Err(ExportError::Uneven("moves"))));
        assert!(matches!(table.parquet(), Err(ExportError::Uneven("moves"))));
    }

    fn parquet_bytes(table: &Table) -> bytes::Bytes {
        table.parquet().unwrap().into()
    }
}
