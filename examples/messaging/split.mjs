/**
 * Splits a text into messages of at most so many characters, between sentences. A sentence is only split, at spaces, if
 * it alone is too long, so one with a number to call stays whole.
 */
export function split(text, longest) {
  const messages = [""];
  for (const piece of piecesOf(text, [/(?<=[.!?。！？।؟]\s|\n)/u, /(?<=\s)/u, ""], longest)) {
    if (messages.at(-1).length + piece.length > longest) {
      messages.push("");
    }
    messages[messages.length - 1] += piece;
  }
  return messages.map((message) => message.trim()).filter(Boolean);
}

/** Returns sentences; of those that are too long, words; of those, characters. */
function piecesOf(text, [separator, ...finer], longest) {
  const pieces = text.split(separator);
  return finer.length === 0
    ? pieces
    : pieces.flatMap((piece) => (piece.length > longest ? piecesOf(piece, finer, longest) : piece));
}
