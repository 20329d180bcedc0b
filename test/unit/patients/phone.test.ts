import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { normalizePhone } from "../../../shared/patients/phone.ts";

const digits = (constraints: { minLength: number; maxLength: number }) =>
  fc.string({ unit: fc.constantFrom(..."0123456789"), ...constraints });

/** Anything that can separate digits, including letters and digits of other scripts. */
const separator = fc.oneof(
  fc.constantFrom("", " ", "-", ".", "(", ") ", "+", " ext. ", "\u00a0", "\u0663"),
  fc.string({ unit: "binary", maxLength: 3 }).map((text) => text.replace(/[0-9]/g, "")),
);

/** The digits with a separator before each one and at the end. */
const written = (number: string, separators: string[]) =>
  [...number].map((digit, index) => `${separators[index]}${digit}`).join("") + separators.at(-1);

const separators = fc.array(separator, { minLength: 21, maxLength: 21 });

describe("a phone number", () => {
  test.each([
    "+15551234567",
    "15551234567",
    "5551234567",
    "(555) 123-4567",
    "555-123-4567",
    "555.123.4567",
    "+1 (555) 123-4567",
    "tel:555/123/4567",
  ])("formatted as %s is normalized to 15551234567", (input) => {
    expect(normalizePhone(input)).toBe("15551234567");
  });

  test("with 10 digits gets the country code 1, whatever the separators", () => {
    fc.assert(
      fc.property(digits({ minLength: 10, maxLength: 10 }), separators, (number, between) => {
        expect(normalizePhone(written(number, between))).toBe(`1${number}`);
      }),
    );
  });

  test("with 11 digits is kept, whatever the separators", () => {
    fc.assert(
      fc.property(digits({ minLength: 11, maxLength: 11 }), separators, (number, between) => {
        expect(normalizePhone(written(number, between))).toBe(number);
      }),
    );
  });

  test("is the same with and without the country code", () => {
    fc.assert(
      fc.property(digits({ minLength: 10, maxLength: 10 }), separators, separators, (number, some, others) => {
        expect(normalizePhone(written(number, some))).toBe(normalizePhone(written(`1${number}`, others)));
      }),
    );
  });

  test("with any other number of digits is invalid", () => {
    const count = fc.oneof(digits({ minLength: 0, maxLength: 9 }), digits({ minLength: 12, maxLength: 20 }));
    fc.assert(
      fc.property(count, separators, (number, between) => {
        expect(normalizePhone(written(number, between))).toBeUndefined();
      }),
    );
  });
});
