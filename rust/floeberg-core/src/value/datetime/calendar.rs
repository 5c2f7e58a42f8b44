//! How are days counted to years, months and days of the month?
//!
//! Years are counted from March 1, so that the leap day is a year's last, in cycles of 400 years.

const DAYS_PER_CYCLE: i64 = 146_097;
/// Days from 0000-03-01, where a cycle begins, to 1970-01-01.
const CYCLE_TO_EPOCH: i64 = 719_468;

/// Days from 1970-01-01 of a date. Months are 1 to 12, days 1 to 31; the caller checks them.
pub fn days_from_civil(year: i64, month: u32, day: u32) -> i64 {
    let shifted = if month <= 2 { year - 1 } else { year };
    let cycle = shifted.div_euclid(400);
    let year_of_cycle = shifted.rem_euclid(400);
    let month_from_march = i64::from((month + 9) % 12);
    let day_of_year = (153 * month_from_march + 2) / 5 + i64::from(day) - 1;
    let day_of_cycle = year_of_cycle * 365 + year_of_cycle / 4 - year_of_cycle / 100 + day_of_year;
    cycle * DAYS_PER_CYCLE + day_of_cycle - CYCLE_TO_EPOCH
}

/// Year, month and day of the month of days from 1970-01-01.
pub fn civil_from_days(days: i64) -> (i64, u32, u32) {
    let shifted = days + CYCLE_TO_EPOCH;
    let cycle = shifted.div_euclid(DAYS_PER_CYCLE);
    let day_of_cycle = shifted.rem_euclid(DAYS_PER_CYCLE);
    let year_of_cycle =
        (day_of_cycle - day_of_cycle / 1_460 + day_of_cycle / 36_524 - day_of_cycle / 146_096) / 365;
    let day_of_year = day_of_cycle - (365 * year_of_cycle + year_of_cycle / 4 - year_of_cycle / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = cycle * 400 + year_of_cycle + i64::from(month <= 2);
    (year, month as u32, day as u32)
}

/// Days in a month of 1 to 12.
pub fn days_in_month(year: i64, month: u32) -> u32 {
    match month {
        2 if year.rem_euclid(4) == 0 && (year.rem_euclid(100) != 0 || year.rem_euclid(400) == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}
