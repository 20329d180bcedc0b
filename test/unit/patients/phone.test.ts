import { expect, test } from "@jest/globals";
import { normalizePhone } from "../../../shared/patients/phone.ts";

const US = "15551234567";

test.each([
  ["5551234567", US],
  ["(555) 123-4567", US],
  ["+1 (555) 123-4567", US],
  ["1.555.123.4567", US],
  ["tel:+1-555-123-4567", US],
  ["45123456789", "45123456789"],
  ["555-123-456", undefined],
  ["123456789012", undefined],
  ["0045 34 56 78 90", undefined],
  ["+05551234567", "05551234567"],
  ["", undefined],
  ["+", undefined],
])("%j without a plus, or with country code 1, follows the specification's rule: %s", (input, number) => {
  expect(normalizePhone(input)).toBe(number);
});

test.each([
  ["+45 34 56 78 90", "4534567890"],
  ["(+45) 34 56 78 90", "4534567890"],
  ["Mobil: +45 34567890", "4534567890"],
  ["tel:+45-34567890", "4534567890"],
  ["\u202a+45 34 56 78 90\u202c", "4534567890"],
  ["＋４５ ３４５６７８９０", "4534567890"],
  ["+٤٥ ٣٤٥٦٧٨٩٠", "4534567890"],
  ["+290 12345", "29012345"],
  ["+44 20 7946 0958", "442079460958"],
  ["+49 1512 3456789", "4915123456789"],
  ["+234 803 123 456 789", "234803123456789"],
  ["+234 803 123 456 7890", undefined],
  ["+45 1234", undefined],
])("%j, with another country's code, keeps its own digits: %s", (input, number) => {
  expect(normalizePhone(input)).toBe(number);
});

test.each([
  ["555-123-4567 x2", US],
  ["555-123-4567x2", US],
  ["555-123-4567 ｘ２", US],
  ["tel:+1-555-123-4567;ext=9", US],
  ["555 123 4567 ext. 9", US],
  ["555 123 4567 Ext: 1234567", US],
  ["555 123 4567 extn 12", US],
  ["555-123-4567 (extension 9)", US],
  ["5551234567ext9", US],
  ["555 123 4567 #9", US],
  ["555-123-4567, 9", US],
  ["555-123-4567,,9", US],
  ["555-123-4567p9", US],
  ["555.123.4567 poste 9", US],
  ["555-123-4567 ext ٩", US],
  ["+45 34567890 x12", "4534567890"],
  ["+45 34 56 78 90;ext=1", "4534567890"],
  ["555-1234 x567", undefined],
  ["555-0100 x5551", undefined],
])("the extension in %j is not part of the number: %s", (input, number) => {
  expect(normalizePhone(input)).toBe(number);
});

test.each(["555#123#4567", "555;123;4567", "555,123,4567", "555x123x4567", "55,51,23,45,67"])(
  "what separates the groups of %j begins no extension",
  (input) => {
    expect(normalizePhone(input)).toBe(US);
  },
);

test("the digits of every script are digits, each with its value", () => {
  const zeros = Array.from({ length: 0x110000 }, (_, codePoint) => codePoint)
    .filter((codePoint) => codePoint < 0xd800 || codePoint > 0xdfff)
    .filter((codePoint) => /^\p{Nd}$/u.test(String.fromCodePoint(codePoint)))
    .filter((_, index) => index % 10 === 0);
  expect(zeros.length).toBeGreaterThan(60);
  for (const zero of zeros) {
    const written = [...US].map((digit) => String.fromCodePoint(zero + Number(digit))).join("");
    expect([zero, normalizePhone(written)]).toEqual([zero, US]);
  }
});
