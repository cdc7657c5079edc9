/** Colors as CSS writes them, and their contrast (WCAG 2.2). */

/** Red, green, blue 0 to 255, alpha 0 to 1. */
export type Color = readonly [red: number, green: number, blue: number, alpha: number];

/** The sixteen of CSS 1 and the most frequent others (CSS Color 4 section 6.1). A map: every object has a `constructor`. */
const NAMED = new Map<string, string>(
  Object.entries({
    black: "000000",
    silver: "c0c0c0",
    gray: "808080",
    grey: "808080",
    white: "ffffff",
    maroon: "800000",
    red: "ff0000",
    purple: "800080",
    fuchsia: "ff00ff",
    green: "008000",
    lime: "00ff00",
    olive: "808000",
    yellow: "ffff00",
    navy: "000080",
    blue: "0000ff",
    teal: "008080",
    aqua: "00ffff",
    orange: "ffa500",
    snow: "fffafa",
    ivory: "fffff0",
    whitesmoke: "f5f5f5",
    ghostwhite: "f8f8ff",
    lightgray: "d3d3d3",
    lightgrey: "d3d3d3",
    gainsboro: "dcdcdc",
    darkgray: "a9a9a9",
    darkgrey: "a9a9a9",
    dimgray: "696969",
    pink: "ffc0cb",
    beige: "f5f5dc",
  }),
);

/** @returns undefined for what is not a plain color (gradients, variables, currentColor) */
export function parseColor(text: string): Color | undefined {
  const value = text.trim().toLowerCase();
  if (value === "transparent") return [0, 0, 0, 0];
  const hex = /^#([0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})$/.exec(value)?.[1] ?? NAMED.get(value);
  if (hex !== undefined) return fromHex(hex);
  const call = /^(rgb|hsl)a?\(([^()]{1,80})\)$/.exec(value);
  if (!call) return undefined;
  const parts = call[2]!.split(/[\s,/]+/).filter(Boolean);
  const numbers = parts.map((part) => Number.parseFloat(part));
  if (numbers.length < 3 || numbers.some(Number.isNaN)) return undefined;
  const alpha = parts[3] === undefined ? 1 : parts[3].endsWith("%") ? numbers[3]! / 100 : numbers[3]!;
  if (call[1] === "hsl") return fromHsl(numbers[0]!, numbers[1]! / 100, numbers[2]! / 100, alpha);
  const scale = parts[0]!.endsWith("%") ? 2.55 : 1;
  return [numbers[0]! * scale, numbers[1]! * scale, numbers[2]! * scale, alpha];
}

function fromHex(hex: string): Color | undefined {
  const digits = hex.length <= 4 ? [...hex].map((digit) => digit + digit).join("") : hex;
  const value = (at: number): number => Number.parseInt(digits.slice(at, at + 2), 16);
  return [value(0), value(2), value(4), digits.length === 8 ? value(6) / 255 : 1];
}

function fromHsl(hue: number, saturation: number, lightness: number, alpha: number): Color {
  const part = (n: number): number => {
    const k = (n + (((hue % 360) + 360) % 360) / 30) % 12;
    const a = saturation * Math.min(lightness, 1 - lightness);
    return Math.round(255 * (lightness - a * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return [part(0), part(8), part(4), alpha];
}

/** Contrast ratio of WCAG 2.2, 1 (the same) to 21. */
export function contrast(one: Color, other: Color): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function luminance([red, green, blue]: Color): number {
  const linear = (part: number): number => {
    const share = Math.min(255, Math.max(0, part)) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}
