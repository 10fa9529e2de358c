// The colours of phases. Zero, the empty memory, is dark; a turn one way goes through blue, the other way through orange, and
// half a circle either way is the same light grey: what is far from zero is bright, whatever one's eyes make of hues.
const kSteps = 256;

// Corners of a closed path in OKLab (lightness, green-red, blue-yellow), from zero round to zero.
const kCorners = [
  [0.24, 0.004, -0.022],
  [0.42, 0.055, 0.062],
  [0.62, 0.085, 0.118],
  [0.80, 0.035, 0.092],
  [0.92, 0.000, 0.010],
  [0.79, -0.045, -0.070],
  [0.60, -0.030, -0.135],
  [0.41, -0.004, -0.118],
];

/// A point of the closed Catmull-Rom curve through the corners; `at` counts corners.
function along(at) {
  const i = Math.floor(at), t = at - i;
  const corner = (k) => kCorners[(i + k + kCorners.length) % kCorners.length];
  const [a, b, c, d] = [corner(-1), corner(0), corner(1), corner(2)];
  return [0, 1, 2].map((k) => b[k] + 0.5 * t * (c[k] - a[k] + t * (2 * a[k] - 5 * b[k] + 4 * c[k] - d[k] +
    t * (3 * (b[k] - c[k]) + d[k] - a[k]))));
}

export const distance = (p, q) => Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);

/// OKLab to sRGB, 0 to 255.
export function to_rgb([l, a, b]) {
  const cube = (x) => x * x * x;
  const L = cube(l + 0.3963377774 * a + 0.2158037573 * b);
  const M = cube(l - 0.1055613458 * a - 0.0638541728 * b);
  const S = cube(l - 0.0894841775 * a - 1.2914855480 * b);
  return [
    4.0767416621 * L - 3.3077115913 * M + 0.2309699292 * S,
    -1.2684380046 * L + 2.6097574011 * M - 0.3413193965 * S,
    -0.0041960863 * L - 0.7034186147 * M + 1.7076147010 * S,
  ].map((x) => {
    const light = Math.min(1, Math.max(0, x));
    return Math.round(255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055));
  });
}

/// The curve at even perceptual steps: half the table for each half circle, so that zero and half a turn stay in their places.
function even_path() {
  const path = [];
  for (const half of [0, 1]) {
    const fine = Array.from({ length: 2001 }, (_, i) => along(kCorners.length / 2 * (half + i / 2000)));
    const length = [0];
    for (let i = 1; i < fine.length; ++i) length.push(length[i - 1] + distance(fine[i], fine[i - 1]));
    for (let step = 0, i = 0; step < kSteps / 2; ++step) {
      while (length[i + 1] < length.at(-1) * step / (kSteps / 2)) ++i;
      path.push(fine[i]);
    }
  }
  return path;
}

export const kPath = even_path();
/// As a canvas stores pixels, little-endian: 0xAABBGGRR.
export const kPhaseColours = Uint32Array.from(kPath, (lab) => {
  const [r, g, b] = to_rgb(lab);
  return (255 << 24 | b << 16 | g << 8 | r) >>> 0;
});

/// The pixel of an angle in radians.
export const phase_pixel = (angle) => kPhaseColours[Math.round(angle * (kSteps / (2 * Math.PI))) & (kSteps - 1)];

/// The pixel of a signed number of which `full` is the largest: the same blue and orange, never round the circle.
export function signed_pixel(value, full) {
  const share = full > 0 ? Math.max(-1, Math.min(1, value / full)) : 0;
  return phase_pixel(share * 0.8 * Math.PI);
}

export const css_colour = (pixel) => `rgb(${pixel & 255} ${(pixel >> 8) & 255} ${(pixel >> 16) & 255})`;
