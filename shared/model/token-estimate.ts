/**
 * Estimates the number of tokens in a text: one per four ASCII characters or per other character. English takes about
 * four characters per token (OpenAI, "What are tokens and how to count them?"); other scripts take up to one token per
 * character, and an estimate for a limit should err on the high side.
 */
export function estimateTokens(text: string): number {
  if (Buffer.byteLength(text) === text.length) {
    return Math.ceil(text.length / 4); // all ASCII; this check is ten times as fast as examining each character
  }
  let ascii = 0;
  for (let index = 0; index < text.length; index++) {
    if (text.charCodeAt(index) < 128) {
      ascii++;
    }
  }
  return Math.ceil(ascii / 4) + (text.length - ascii);
}
