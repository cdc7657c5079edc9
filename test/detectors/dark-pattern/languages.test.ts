import { describe, expect, it } from "vitest";
import type { PatternId } from "../../../schemas/dark-pattern.ts";
import { scanDarkPatterns } from "../../../src/detectors/dark-pattern/rules.ts";

function judge(body: string, pattern: PatternId, lang = "") {
  const html = `<!doctype html><html${lang}><title>Tea</title><main><h1>Green tea</h1><p>€7.90</p>${body}</main>`;
  const { patterns } = scanDarkPatterns({
    first: { html, text: undefined },
    later: undefined,
    secondsLater: undefined,
  });
  return patterns.find((one) => one.pattern === pattern)!;
}

describe("what presses people, in a page that does not say its language", () => {
  it.each<[PatternId, string]>([
    ["fake-scarcity", "Plus que 2 en stock !"],
    ["fake-scarcity", "Il ne reste que 3 articles"],
    ["fake-scarcity", "¡Solo quedan 3 unidades!"],
    ["fake-scarcity", "Últimas 2 unidades"],
    ["fake-scarcity", "Nog maar 2 op voorraad"],
    ["fake-scarcity", "Solo 2 rimasti"],
    ["fake-scarcity", "Apenas 2 unidades em estoque"],
    ["fake-social-proof", "37 Personen sehen sich dieses Produkt gerade an"],
    ["fake-social-proof", "12 personnes regardent cet article en ce moment"],
    ["fake-social-proof", "24 personas están viendo este producto"],
    ["fake-social-proof", "15 mensen bekijken dit product op dit moment"],
    ["fake-urgency", "Nur noch heute: 20 % Rabatt"],
    ["fake-urgency", "Offre limitée, dépêchez-vous"],
    ["hard-to-cancel", "Kündigung nur per Post möglich."],
    ["hard-to-cancel", "La résiliation se fait par lettre recommandée."],
    ["hard-to-cancel", "Opzeggen kan alleen schriftelijk."],
  ])("%s: %s", (pattern, line) => {
    expect(judge(`<p>${line}</p>`, pattern).verdict).not.toMatch(/^not_/);
  });

  it.each([
    "Nein danke, ich zahle lieber den vollen Preis",
    "Non merci, je préfère payer plus cher",
    "No, gracias, prefiero pagar más",
    "Nee, ik betaal liever de volle prijs",
  ])("shames whoever refuses: %s", (refusal) => {
    const dialog = `<div role=dialog><button>OK</button><button>${refusal}</button></div>`;
    expect(judge(dialog, "confirmshaming").verdict).toBe("likely_deceptive");
    expect(judge("<div role=dialog><button>Nein danke</button></div>", "confirmshaming").verdict).toMatch(
      /^not_/,
    );
  });

  it("hides the term of a contract in small grey print", () => {
    const small = (text: string) =>
      `<p style="font-size:8px;color:#bbb;background:#fff">${text}</p><button>Buy</button>`;
    for (const text of ["Mindestlaufzeit 12 Monate", "Minimum term 12 months, then monthly"]) {
      expect(judge(small(text), "hidden-subscription").verdict).toBe("likely_deceptive");
      expect(judge(`<p>${text}</p>`, "hidden-subscription").verdict).toMatch(/^not_/);
    }
  });

  it.each([
    "In stock: 240 pieces",
    "Auf Lager: 240 Stück",
    "240 en stock",
    "Versand in 2 Stunden",
    "2 in stock",
  ])("is no fact: %s", (line) => {
    expect(judge(`<p>${line}</p>`, "fake-scarcity").verdict).toMatch(/^not_/);
  });
});

describe("a page in another language than English", () => {
  const TURKISH =
    "<p>Bu çay Rize'den gelir ve çok lezzetlidir. Her gün taze olarak paketlenir, sonra size gönderilir. Daha çok bilgi için bize yazın.</p>";
  const GERMAN =
    "<p>Dieser Tee kommt aus den Bergen und ist von guten Gärten. Wir packen ihn jeden Tag frisch und senden ihn in zwei Tagen zu Ihnen. Schreiben Sie uns.</p>";

  it("is not called free of what words show", () => {
    expect(judge(TURKISH, "fake-scarcity")).toMatchObject({
      verdict: "not_determinable",
      abstain: true,
      reason: expect.stringMatching(/^language_not_covered: .*\(tr\)/),
    });
    // Words of German are known, and were never measured: what is found counts, and nothing is called absent.
    expect(judge(GERMAN, "fake-scarcity").reason).toMatch(/^language_not_covered: .*\(de\)/);
    expect(judge(`${GERMAN}<p>Nur noch 2 Stück auf Lager</p>`, "fake-scarcity").verdict).toBe("present");
  });

  it("is told by its words rather than by a template that says English", () => {
    expect(judge(TURKISH, "fake-scarcity", " lang=en").verdict).toBe("not_determinable");
  });

  it("is accused of no missing refusal by buttons that are not understood, nor called free of it", () => {
    const banner = (label: string) =>
      `<div id=cookie-banner role=dialog><p>Cookies.</p><button>Alle akzeptieren</button><button>${label}</button></div>`;
    expect(judge(banner("Wuppdich"), "privacy-zuckering").verdict).toBe("not_determinable");
    expect(judge(banner("Weiter ohne Einwilligung"), "privacy-zuckering").verdict).toBe("not_found");
  });
});
