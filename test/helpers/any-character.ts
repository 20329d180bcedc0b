import fc from "fast-check";

const SURROGATES = { first: 0xd800, count: 0x800 };
const LAST = 0x10ffff;

/**
 * Any Unicode character, half of them ASCII, for `fc.string({ unit })`. Not fast-check's unit "binary", which takes
 * half a second to prepare in each test file.
 */
export const anyCharacter = fc
  .oneof(fc.nat(0x7f), fc.nat(LAST - SURROGATES.count))
  .map((index) => String.fromCodePoint(index < SURROGATES.first ? index : index + SURROGATES.count));
