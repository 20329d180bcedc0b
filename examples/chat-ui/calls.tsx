import type { ReactNode } from "react";

/** In what the service says about safety, every number is one to call. */
const EVERY_NUMBER = /(\+?\d[\d -]+\d)/;

/** In other words, only what can be nothing else: not doses, years or counts. */
const CERTAIN_NUMBER = /((?<![\d.,-])(?:911|988|112|(?:1[ -])?\d{3}-\d{3}-\d{4})(?![\d.,-]*\d)(?! ?(?:mg|ml|g|%)))/;

/** A text with its phone numbers as links. */
export function WithCalls({ children, isCertain = false }: { children: string; isCertain?: boolean }) {
  const pattern = isCertain ? EVERY_NUMBER : CERTAIN_NUMBER;
  return children.split(pattern).map((piece, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text, in its order
      <Call key={index} number={piece}>
        {piece}
      </Call>
    ) : (
      piece
    ),
  );
}

/** The number that a text names first. */
export const numberIn = (text: string) => EVERY_NUMBER.exec(text)?.[0];

/** A button that calls the number that a text names first. */
export function CallButton({ text }: { text: string }) {
  const number = numberIn(text);
  return number ? (
    <Call number={number} className="call">
      Call {number}
    </Call>
  ) : null;
}

function Call({ number, className, children }: { number: string; className?: string; children: ReactNode }) {
  return (
    <a href={`tel:${number.replaceAll(/[ -]/g, "")}`} className={className}>
      {children}
    </a>
  );
}
