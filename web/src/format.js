const kWhole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/// 88667 -> "88,667"
export const whole = (value) => kWhole.format(value);

/// With a true minus sign and a fixed number of places, so that columns line up.
export const fixed = (value, places) => value.toFixed(places).replace("-", "\u2212");

/// How a quantity is written: percentages and points with `places`, counts with thousands separators.
export function quantity(value, unit, places = 1) {
  if (value === null || value === undefined) return "–";
  if (unit === "percent") return fixed(value, places);
  if (unit === "points") return fixed(value, places);
  if (unit === "target") return `${whole(value)} %`;
  return whole(value);
}

export const suffix = (unit) => (unit === "percent" ? " %" : "");

/// 1536 -> "1,536", 200000 -> "200k": for axes.
export function short_delay(value) {
  if (value >= 1e6 && value % 1e5 === 0) return `${value / 1e6}M`;
  if (value >= 1e4 && value % 100 === 0) return `${value / 1e3}k`;
  if (value >= 1e4) return `${Math.round(value / 1e3)}k`;
  return whole(value);
}

export const seeds_text = (seeds) => (seeds.length === 1 ? `seed ${seeds[0]}` : `seeds ${seeds.join(", ")}`);
