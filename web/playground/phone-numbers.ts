/** A piece of text; with `href` if it is a phone number. */
export interface TextPiece {
  text: string;
  href?: string;
}

/** In an alert's fixed text, every number is one to call: 911, 988, 1-800-222-1222, 116 123. */
const EVERY_NUMBER = /(?<![\d.,])\+?\(?\d[\d ().-]*\d(?![\d.,]?\d)/g;

/** Elsewhere, only what can be nothing else: not doses, years or counts. */
const CERTAIN_NUMBER =
  /(?<![\d.,-])(?:911|988|112|(?:\+?1[-. ])?(?:\(\d{3}\) ?|\d{3}[-.])\d{3}[-. ]\d{4})(?![-.,]?\d)(?! ?(?:mg|ml|g|%)\b)/g;

const SHORTEST = 3;

/**
 * Divides a text into phone numbers, with a `tel:` address (RFC 3966), and what is between them.
 *
 * @param isAlert whether the text is an alert's fixed text, in which every number is a phone number
 */
export function splitPhoneNumbers(text: string, isAlert: boolean): TextPiece[] {
  const pieces: TextPiece[] = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(isAlert ? EVERY_NUMBER : CERTAIN_NUMBER)) {
    const number = found.replaceAll(/[^\d+]/g, "");
    if (number.length >= SHORTEST) {
      pieces.push({ text: text.slice(end, index) }, { text: found, href: `tel:${number}` });
      end = index + found.length;
    }
  }
  return [...pieces, { text: text.slice(end) }].filter((piece) => piece.text !== "");
}
