//! Countries and regions by their letters of ISO 3166-1, and their calling codes.
//!
//! Owns: the table. Never does: name one; whoever shows it does. Invariants: it is the app's (`h5/src/lib/areas.ts`), which a test says.
//! Known limits: not all countries: what is not here is neither served nor ruled. It stands twice, since neither side asks the other for
//! it before a form is shown.

use xng_core::region::Country;

const AREAS: [(&str, &str); 199] = [
    ("AF", "93"),
    ("AL", "355"),
    ("DZ", "213"),
    ("AD", "376"),
    ("AO", "244"),
    ("AG", "1268"),
    ("AR", "54"),
    ("AM", "374"),
    ("AW", "297"),
    ("AU", "61"),
    ("AT", "43"),
    ("AZ", "994"),
    ("BS", "1242"),
    ("BH", "973"),
    ("BD", "880"),
    ("BB", "1246"),
    ("BY", "375"),
    ("BE", "32"),
    ("BZ", "501"),
    ("BJ", "229"),
    ("BM", "1441"),
    ("BT", "975"),
    ("BO", "591"),
    ("BA", "387"),
    ("BW", "267"),
    ("BR", "55"),
    ("BN", "673"),
    ("BG", "359"),
    ("BF", "226"),
    ("BI", "257"),
    ("KH", "855"),
    ("CM", "237"),
    ("CA", "1"),
    ("CV", "238"),
    ("KY", "1345"),
    ("CF", "236"),
    ("TD", "235"),
    ("CL", "56"),
    ("CN", "86"),
    ("CO", "57"),
    ("KM", "269"),
    ("CG", "242"),
    ("CD", "243"),
    ("CR", "506"),
    ("CI", "225"),
    ("HR", "385"),
    ("CY", "357"),
    ("CZ", "420"),
    ("DK", "45"),
    ("DJ", "253"),
    ("DM", "1767"),
    ("DO", "1809"),
    ("EC", "593"),
    ("EG", "20"),
    ("SV", "503"),
    ("GQ", "240"),
    ("ER", "291"),
    ("EE", "372"),
    ("SZ", "268"),
    ("ET", "251"),
    ("FJ", "679"),
    ("FI", "358"),
    ("FR", "33"),
    ("GF", "594"),
    ("PF", "689"),
    ("GA", "241"),
    ("GM", "220"),
    ("GE", "995"),
    ("DE", "49"),
    ("GH", "233"),
    ("GI", "350"),
    ("GR", "30"),
    ("GL", "299"),
    ("GD", "1473"),
    ("GP", "590"),
    ("GU", "1671"),
    ("GT", "502"),
    ("GN", "224"),
    ("GW", "245"),
    ("GY", "592"),
    ("HT", "509"),
    ("HN", "504"),
    ("HK", "852"),
    ("HU", "36"),
    ("IS", "354"),
    ("IN", "91"),
    ("ID", "62"),
    ("IQ", "964"),
    ("IE", "353"),
    ("IL", "972"),
    ("IT", "39"),
    ("JM", "1876"),
    ("JP", "81"),
    ("JO", "962"),
    ("KZ", "7"),
    ("KE", "254"),
    ("KR", "82"),
    ("KW", "965"),
    ("KG", "996"),
    ("LA", "856"),
    ("LV", "371"),
    ("LB", "961"),
    ("LS", "266"),
    ("LR", "231"),
    ("LY", "218"),
    ("LI", "423"),
    ("LT", "370"),
    ("LU", "352"),
    ("MO", "853"),
    ("MG", "261"),
    ("MW", "265"),
    ("MY", "60"),
    ("MV", "960"),
    ("ML", "223"),
    ("MT", "356"),
    ("MQ", "596"),
    ("MR", "222"),
    ("MU", "230"),
    ("MX", "52"),
    ("MD", "373"),
    ("MC", "377"),
    ("MN", "976"),
    ("ME", "382"),
    ("MA", "212"),
    ("MZ", "258"),
    ("MM", "95"),
    ("NA", "264"),
    ("NP", "977"),
    ("NL", "31"),
    ("NC", "687"),
    ("NZ", "64"),
    ("NI", "505"),
    ("NE", "227"),
    ("NG", "234"),
    ("MK", "389"),
    ("NO", "47"),
    ("OM", "968"),
    ("PK", "92"),
    ("PS", "970"),
    ("PA", "507"),
    ("PG", "675"),
    ("PY", "595"),
    ("PE", "51"),
    ("PH", "63"),
    ("PL", "48"),
    ("PT", "351"),
    ("PR", "1787"),
    ("QA", "974"),
    ("RE", "262"),
    ("RO", "40"),
    ("RU", "7"),
    ("RW", "250"),
    ("KN", "1869"),
    ("LC", "1758"),
    ("VC", "1784"),
    ("WS", "685"),
    ("SM", "378"),
    ("ST", "239"),
    ("SA", "966"),
    ("SN", "221"),
    ("RS", "381"),
    ("SC", "248"),
    ("SL", "232"),
    ("SG", "65"),
    ("SK", "421"),
    ("SI", "386"),
    ("SB", "677"),
    ("SO", "252"),
    ("ZA", "27"),
    ("SS", "211"),
    ("ES", "34"),
    ("LK", "94"),
    ("SR", "597"),
    ("SE", "46"),
    ("CH", "41"),
    ("TW", "886"),
    ("TJ", "992"),
    ("TZ", "255"),
    ("TH", "66"),
    ("TL", "670"),
    ("TG", "228"),
    ("TO", "676"),
    ("TT", "1868"),
    ("TN", "216"),
    ("TR", "90"),
    ("TM", "993"),
    ("UG", "256"),
    ("UA", "380"),
    ("AE", "971"),
    ("GB", "44"),
    ("US", "1"),
    ("UY", "598"),
    ("UZ", "998"),
    ("VU", "678"),
    ("VE", "58"),
    ("VN", "84"),
    ("YE", "967"),
    ("ZM", "260"),
    ("ZW", "263"),
];

/// A country of the table.
pub fn country(letters: &str) -> Option<Country> {
    let known = AREAS.iter().any(|(region, _)| *region == letters);
    known.then(|| Country::parse(letters)).flatten()
}

/// Whether a country has this calling code.
pub fn has_code(country: &str, code: &str) -> bool {
    AREAS.contains(&(country, code))
}

/// The country with a calling code, when no other one has it.
pub fn only_with(code: &str) -> Option<&'static str> {
    let mut all = AREAS.iter().filter(|(_, of)| *of == code).map(|(region, _)| *region);
    let first = all.next()?;
    all.next().is_none().then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_the_apps() {
        let app = include_str!("../../../h5/src/lib/areas.ts");
        let rows = app.lines().filter_map(|line| {
            let (region, code) = line.trim().strip_prefix("['")?.strip_suffix("'],")?.split_once("', '")?;
            Some((region, code))
        });
        assert_eq!(rows.collect::<Vec<_>>(), AREAS);
        assert!(AREAS.iter().all(|(region, _)| country(region).is_some()));
    }

    #[test]
    fn some_countries_share_a_code() {
        assert_eq!([only_with("44"), only_with("1"), only_with("0")], [Some("GB"), None, None]);
        assert!(has_code("US", "1") && has_code("CA", "1") && !has_code("US", "44"));
        assert_eq!([country("XX"), country("us"), country("")], [None, None, None]);
    }
}
