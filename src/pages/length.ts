/** Lengths of style sheets (CSS Values 4 section 5). */

/** A length in pixels; viewport units by a screen of 1,280 by 720. */
export function pixels(value: string | undefined, emPx: number, whole = 1_280): number | undefined {
  const parts = /^(-?(?:\d+(?:\.\d+)?|\.\d+))(px|em|rem|ex|ch|pt|pc|cm|mm|in|vw|vh|vmin|vmax|%)?$/.exec(
    value?.trim() ?? "",
  );
  if (!parts) return undefined;
  const amount = Number(parts[1]);
  const unit = parts[2] ?? "";
  if (unit === "") return amount === 0 ? 0 : undefined;
  const sizes: Record<string, number> = {
    px: 1,
    em: emPx,
    rem: 16,
    ex: emPx / 2,
    ch: emPx / 2,
    pt: 4 / 3,
    pc: 16,
  };
  const more: Record<string, number> = {
    cm: 37.8,
    mm: 3.78,
    in: 96,
    vw: 12.8,
    vh: 7.2,
    vmin: 7.2,
    vmax: 12.8,
  };
  return amount * (sizes[unit] ?? more[unit] ?? whole / 100);
}
