import { describe, expect, it } from "vitest";
import { SURE } from "../../../src/detectors/dark-pattern/rules.ts";
import { darkThreshold, judgePatternText } from "../../../src/detectors/dark-pattern/texts.ts";

describe("a short text of a shop's page", () => {
  it.each([
    ["No thanks, I'd rather pay full price", "Misdirection"],
    ["Not today, I'd rather overpay", "Misdirection"],
    ["Continue without cover", "Misdirection"],
    ["Why not add a cleaning kit for just $4.90?", "Misdirection"],
    ["Enjoy free delivery with Parcel Club", "Sneaking"],
    ["Bouquet $39.00 Delivery $9.00 Tax $3.20 Total $51.20", "Sneaking"],
    ["I don't want a better night's sleep", "Misdirection"],
    ["Customers also bought these socks", "Misdirection"],
    ["You may cancel your club at any time by calling 555 0100 on weekdays", "Obstruction"],
    ["Merchandise $20.00 Service Charge $7.50 Order Total $27.50", "Sneaking"],
    ["Free 30 day VIP membership with this order", "Sneaking"],
    ["Parcel insurance $2.90 Remove", "Sneaking"],
    ["I agree to receive offers by text message", "Forced Action"],
  ])("%j is dark, of the kind %s", (text, kind) => {
    expect(judgePatternText(text)).toMatchObject({ kind });
    expect(judgePatternText(text).dark).toBeGreaterThanOrEqual(darkThreshold());
  });

  it.each([
    "No returns on gift cards",
    "Cancel",
    "Order total $27.50",
    "Free shipping on orders over $50",
    "Contact our customer service",
    "Create an account",
    "Remove",
    "Continue without an account",
    "Free delivery on all shoes",
    "Subtotal $20.00 Total $27.50",
    "I like these socks",
  ])("%j is nothing that a page is told of", (text) => {
    const { dark, isTelling } = judgePatternText(text);
    expect(isTelling && dark >= SURE).toBe(false);
  });
});
