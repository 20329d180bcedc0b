import type { Alert } from "health-assistant-client/ai-sdk";
import { useEffect, useRef } from "react";
import { CallButton, numberIn, WithCalls } from "./calls.tsx";

const LEVELS = { emergency: "Emergency", crisis: "You are not alone" };

/** Whom to call, announced at once. */
export function AlertView({ alert: { level, text } }: { alert: Alert }) {
  const box = useRef<HTMLElement>(null);
  useEffect(() => box.current?.scrollIntoView({ block: "nearest" }), []);
  return (
    <section ref={box} role="alert" className={`notice ${level}`}>
      <strong>{LEVELS[level]}</strong>
      {text.split("\n\n").map((paragraph) => (
        <p key={paragraph} dir="auto">
          <WithCalls isCertain>{paragraph}</WithCalls>
        </p>
      ))}
      <CallButton text={text} />
    </section>
  );
}

/**
 * Keeps whom to call in view for the rest of the conversation, each number with its last alert. It takes room, and covers
 * nothing.
 */
export function PinnedAlerts({ alerts }: { alerts: readonly Alert[] }) {
  const last = new Map(alerts.map((alert) => [numberIn(alert.text), alert]));
  return (
    <section aria-label="Whom to call">
      {[...last].map(([number, { level, text }]) => (
        <p key={number} className={`pinned ${level}`}>
          <strong>{LEVELS[level]}</strong>
          <CallButton text={text} />
        </p>
      ))}
    </section>
  );
}
