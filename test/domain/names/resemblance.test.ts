import { domainToASCII } from "node:url";
import { describe, expect, it } from "vitest";
import {
  confusableHost,
  confusableName,
  lookalikeOf,
  namesakesOf,
} from "../../../src/domain/names/resemblance.ts";

const HONEST = [
  ...[
    "Teehaus Graz",
    "Café Zoë",
    "Žižkov Čaj",
    "Łódź Herbata",
    "Đà Nẵng Trà",
    "İstanbul Çay",
    "Þórður & Ægir",
  ],
  ...["Яндекс", "Магазин чая Москва", "Чай и кофе", "Сова", "Роса", "Оса", "Аптека 36,6", "Хор", "Рис и соя"],
  ...[
    "Магазин Apple в Москве",
    "IT-компания Восток",
    "3D-печать",
    "Кава та чай",
    "Книжарня Є",
    "Чайна Ѓорѓи",
    "Ресторан Џака",
  ],
  ...[
    "Καφές Αθήνα",
    "Το Σπίτι του Τσαγιού",
    "Ναός",
    "Ωmega Watches",
    "αlpha Design",
    "πzza",
    "µTorrent",
    "Δelta 5",
  ],
  ...[
    "お茶の家",
    "Tシャツ屋",
    "東京タワー",
    "カフェ ABC",
    "北京茶館",
    "한국 찻집",
    "K팝 스토어",
    "Շաքար",
    "Հայաստան",
  ],
  ...["بيت الشاي", "בית התה", "चाय घर", "ร้านชา", "ჩაის სახლი", "Nhà Trà", "C++ and C#", "H₂O", "Apple"],
];

describe("a name or a host", () => {
  it.each(HONEST)("%s of honest scripts resembles nobody", (name) => {
    expect(confusableName(name, "shop.example")).toBeUndefined();
  });

  it.each(["яндекс.рф", "москва.рф", "müller.de", "québec.ca", "ελλάδα.gr", "お茶.jp", "рос.рф", "сова.бел"])(
    "%s as a host resembles nobody",
    (host) => {
      expect(confusableHost(domainToASCII(host))).toBeUndefined();
    },
  );

  it("with letters of another script in a Latin word looks like that word", () => {
    expect(confusableName("Grаz Teehaus", "a.test")).toEqual({
      word: "Grаz",
      looksLike: "Graz",
      brand: null,
    });
    expect(confusableName("Teehaus Саfé", "a.test")?.looksLike).toBe("Cafe\u0301".normalize("NFC"));
    expect(confusableName("Νike Store", "a.test")?.brand).toBe("nike.com");
    expect(confusableHost(domainToASCII("teеhaus.test"))?.looksLike).toBe("teehaus");
  });

  it("of another script alone that looks like a brand's is marked with the brand", () => {
    expect(confusableHost("xn--80ak6aa92e.test")).toMatchObject({ looksLike: "apple", brand: "apple.com" });
    expect(confusableName("Аррӏе", "a.test")).toMatchObject({ brand: "apple.com" });
    expect(confusableName("ΡΑΥΡΑL", "a.test")?.brand).toBe("paypal.com");
    expect(confusableName("Аррӏе", "apple.com")).toBeUndefined();
  });

  it("of another script alone looks like a host in Latin letters, whoever has it", () => {
    expect(lookalikeOf(domainToASCII("оѕсаг.test"))).toBe("oscar.test");
    for (const host of [
      "oscar.test",
      domainToASCII("müller.test"),
      domainToASCII("магазин.test"),
      "xn--zz-.test",
    ])
      expect(lookalikeOf(host), host).toBeUndefined();
  });

  it("of another script alone would stand for hosts of its words, below its own suffix and com", () => {
    expect(namesakesOf("Оѕсаг", "shop.co.uk")).toEqual(["oscar.co.uk", "oscar.com"]);
    expect(namesakesOf("Оѕсаг Теа", "shop.test")).toEqual([
      "oscartea.test",
      "oscartea.com",
      "oscar-tea.test",
      "oscar-tea.com",
    ]);
    for (const name of ["Oscar", "Оѕсаг Tea", "Роса", "Магазин чая", "お茶の家", "", "..", "Καφές Αθήνα"])
      expect(namesakesOf(name, "shop.test"), name).toEqual([]);
    expect(namesakesOf("Оѕсаг", "www.oscar.com")).toEqual([]);
  });

  it("of any length takes time in proportion to it", () => {
    const started = performance.now();
    confusableName("а".repeat(100_000), "a.test");
    confusableName("а a ".repeat(50_000), "a.test");
    namesakesOf("а ".repeat(50_000), "a.test");
    expect(performance.now() - started).toBeLessThan(200);
  });
});
