import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { normalizePhone } from "../../../shared/patients/phone.ts";
import { anyCharacter } from "../../helpers/any-character.ts";

/** Anything that can separate digits, including letters and digits of other scripts. */
const separator = fc.oneof(
  fc.constantFrom("", " ", "-", ".", "(", ") ", "+", " ext. ", "\u00a0", "\u0663"),
  fc.string({ unit: anyCharacter, maxLength: 3 }).map((text) => text.replace(/[0-9]/g, "")),
);

/** The digits with a separator before each one and at the end. */
const written = (number: string, separators: string[]) =>
  [...number].map((digit, index) => `${separators[index]}${digit}`).join("") + separators.at(-1);

const separators = fc.array(separator, { minLength: 21, maxLength: 21 });

test("a phone number of 10 digits gets the country code 1, one of 11 is kept, and any other is invalid", () => {
  const digits = fc.oneof(
    ...[10, 11, 9, 12].map((length) =>
      fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: length, maxLength: length }),
    ),
    fc.string({ unit: fc.constantFrom(..."0123456789"), maxLength: 20 }),
  );
  fc.assert(
    fc.property(digits, separators, (number, between) => {
      const normal = { 10: `1${number}`, 11: number }[number.length];
      expect(normalizePhone(written(number, between))).toBe(normal);
    }),
    { numRuns: 500 },
  );
});
