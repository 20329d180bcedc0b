import type { Alert } from "health-assistant-client/ai-sdk";
import type { ReactNode } from "react";

const LEVELS = { emergency: "Emergency", crisis: "You are not alone" };

/** Every number in an alert is one to call. */
const NUMBER = /(\+?\d[\d -]+\d)/;

/** Whom to call, announced at once. */
export function AlertView({ alert: { level, text } }: { alert: Alert }) {
  return (
    <section role="alert" className={`notice ${level}`}>
      <strong>{LEVELS[level]}</strong>
      {text.split("\n\n").map((paragraph) => (
        <p key={paragraph} dir="auto">
          {paragraph.split(NUMBER).map((piece) =>
            NUMBER.test(piece) ? (
              <Call key={piece} number={piece}>
                {piece}
              </Call>
            ) : (
              piece
            ),
          )}
        </p>
      ))}
      <CallButton text={text} />
    </section>
  );
}

/** Keeps whom to call in view for the rest of the conversation. It takes room, and covers nothing. */
export function PinnedAlert({ alert: { level, text } }: { alert: Alert }) {
  return (
    <section className={`pinned ${level}`} aria-label="Whom to call">
      <strong>{LEVELS[level]}</strong>
      <CallButton text={text} />
    </section>
  );
}

function CallButton({ text }: { text: string }) {
  const [number] = NUMBER.exec(text) ?? [];
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
