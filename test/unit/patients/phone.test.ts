import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { normalizePhone } from "../../../shared/patients/phone.ts";

const digits = (constraints: { minLength: number; maxLength: number }) =>
  fc.string({ unit: fc.constantFrom(..."0123456789"), ...constraints });

/** Anything a person may write between digits, letters and digits of other scripts included. */
const separator = fc.oneof(
  fc.constantFrom("", " ", "-", ".", "(", ") ", "+", " ext. ", "\u00a0", "\u0663"),
  fc.string({ unit: "binary", maxLength: 3 }).map((text) => text.replace(/[0-9]/g, "")),
);

/** The digits with a separator before each, and one at the end. */
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
  ])("written as %s is stored as 15551234567", (input) => {
    expect(normalizePhone(input)).toBe("15551234567");
  });

  test("of 10 digits gets the country code 1, whatever stands between them", () => {
    fc.assert(
      fc.property(digits({ minLength: 10, maxLength: 10 }), separators, (number, between) => {
        expect(normalizePhone(written(number, between))).toBe(`1${number}`);
      }),
    );
  });

  test("of 11 digits is kept, whatever stands between them", () => {
    fc.assert(
      fc.property(digits({ minLength: 11, maxLength: 11 }), separators, (number, between) => {
        expect(normalizePhone(written(number, between))).toBe(number);
      }),
    );
  });

  test("is the same with the country code and without", () => {
    fc.assert(
      fc.property(digits({ minLength: 10, maxLength: 10 }), separators, separators, (number, some, others) => {
        expect(normalizePhone(written(number, some))).toBe(normalizePhone(written(`1${number}`, others)));
      }),
    );
  });

  test("of any other count of digits is none", () => {
    const count = fc.oneof(digits({ minLength: 0, maxLength: 9 }), digits({ minLength: 12, maxLength: 20 }));
    fc.assert(
      fc.property(count, separators, (number, between) => {
        expect(normalizePhone(written(number, between))).toBeUndefined();
      }),
    );
  });
});
