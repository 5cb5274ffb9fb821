//! Option prices: exp, log, sqrt and erf.

use crate::case::{Argument, Case, Size, Tolerance, Work};
use crate::random::{Random, generate};
use clvk_interface::ScalarType;

const GROUP: usize = 256;

pub fn build(size: Size) -> Case {
    let count = size.pick(16384, 1 << 26);
    let (rate, volatility) = (0.02f32, 0.3f32);
    let (random_spot, random_strike, random_years) = (Random::new(61), Random::new(62), Random::new(63));
    let spots = generate(count, |i| random_spot.between(i, 5.0, 30.0));
    let strikes = generate(count, |i| random_strike.between(i, 1.0, 100.0));
    let years = generate(count, |i| random_years.between(i, 0.25, 10.0));

    let mut case = Case::new("black_scholes", "black_scholes/black_scholes.cl");
    let spots_id = case.input("spots", ScalarType::F32, &spots);
    let strikes_id = case.input("strikes", ScalarType::F32, &strikes);
    let years_id = case.input("years", ScalarType::F32, &years);
    let calls_id = case.output("calls", ScalarType::F32, count);
    let puts_id = case.output("puts", ScalarType::F32, count);
    let mut arguments: Vec<Argument> =
        [spots_id, strikes_id, years_id, calls_id, puts_id].into_iter().map(Argument::Resource).collect();
    arguments.extend([Argument::value(rate), Argument::value(volatility)]);
    case.launch("black_scholes", [count], [GROUP], arguments);

    let prices: Vec<[f32; 2]> = generate(count, |i| {
        price(
            f64::from(spots[i]),
            f64::from(strikes[i]),
            f64::from(years[i]),
            f64::from(rate),
            f64::from(volatility),
        )
    });
    let calls: Vec<f32> = prices.iter().map(|price| price[0]).collect();
    let puts: Vec<f32> = prices.iter().map(|price| price[1]).collect();
    // erf is within 16 ulp: 2^-20 of spot and strike, which sum to at most 130; the rest is smaller.
    let tolerance = Tolerance::Float { absolute: 1.5e-4, relative: 0.0 };
    case.expect(calls_id, &calls, tolerance, "erf within 16 ulp, times prices of up to 130");
    case.expect(puts_id, &puts, tolerance, "erf within 16 ulp, times prices of up to 130");
    case.work = Work { bytes: 20 * count as u64, operations: 0 };
    case
}

/// Price of a call and of a put.
fn price(spot: f64, strike: f64, years: f64, rate: f64, volatility: f64) -> [f32; 2] {
    let cumulative = |x: f64| 0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2);
    let deviation = volatility * years.sqrt();
    let d1 = ((spot / strike).ln() + (rate + volatility * volatility / 2.0) * years) / deviation;
    let d2 = d1 - deviation;
    let discounted = strike * (-rate * years).exp();
    let call = spot * cumulative(d1) - discounted * cumulative(d2);
    let put = discounted * cumulative(-d2) - spot * cumulative(-d1);
    [call as f32, put as f32]
}
