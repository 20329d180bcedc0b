import type { Sources } from "health-assistant-client/ai-sdk";
import Markdown, { RuleType } from "markdown-to-jsx/react";
import { type ComponentProps, type ReactNode, useState } from "react";
import { WithCalls } from "./calls.tsx";

/**
 * No links or images: the address of either could carry what was said to another site, and nobody has checked it. What is wide
 * scrolls by itself, so it must be within reach of the keyboard.
 */
const OVERRIDES = {
  a: ({ children }: { children: ReactNode }) => <>{children}</>,
  img: ({ alt }: { alt?: string }) => <>{alt}</>,
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be within reach of the keyboard
  pre: (pre: ComponentProps<"pre">) => <pre {...pre} tabIndex={0} />,
  table: (table: ComponentProps<"table">) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: as above
    <section className="table" aria-label="Table" tabIndex={0}>
      <table {...table} />
    </section>
  ),
};

/**
 * The words of an answer, each paragraph in its own direction. HTML in it is shown as text; while it arrives, Markdown that
 * is not complete is held back.
 */
export function Words({ text, isArriving }: { text: string; isArriving: boolean }) {
  return (
    <div className="words" dir="auto">
      <Markdown
        options={{
          disableParsingRawHTML: true,
          forceBlock: true,
          optimizeForStreaming: isArriving,
          overrides: OVERRIDES,
          renderRule: (next, node, _, state) =>
            node.type === RuleType.text ? <WithCalls key={state.key}>{node.text}</WithCalls> : next(),
        }}
      >
        {text}
      </Markdown>
    </div>
  );
}

/** The passages that an answer cites. Their addresses are the clinic's own, from a field that no model writes. */
export function SourcesView({ sources: { citations } }: { sources: Sources }) {
  return (
    <section className="sources" aria-label="Sources">
      {citations.map(({ number, title, quote, url }) => (
        <details key={number}>
          <summary>
            [{number}] <bdi>{title}</bdi>
          </summary>
          <blockquote dir="auto">{quote}</blockquote>
          {url && (
            <a href={url} target="_blank" rel="noreferrer">
              {url}
            </a>
          )}
        </details>
      ))}
    </section>
  );
}

const RATINGS = { good: "Good answer", bad: "Bad answer" } as const;

/** What the patient thinks of an answer, which can be changed and taken back. */
export function Feedback({ messageId }: { messageId: string }) {
  const [rating, setRating] = useState<keyof typeof RATINGS>();
  const [hasFailed, setFailed] = useState(false);
  async function rate(chosen: keyof typeof RATINGS | undefined) {
    const response = await fetch("/api/feedback", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ messageId, rating: chosen }),
    }).catch(() => undefined);
    setFailed(!response?.ok);
    if (response?.ok) {
      setRating(chosen);
    }
  }
  return (
    <p className="feedback">
      {Object.entries(RATINGS).map(([each, name]) => (
        <button
          type="button"
          key={each}
          aria-label={name}
          aria-pressed={rating === each}
          onClick={() => rate(rating === each ? undefined : (each as keyof typeof RATINGS))}
        >
          <svg viewBox="0 0 24 24" aria-hidden="true" className={each}>
            <path d="M7 10.5V20H3.5v-9.5Z M7 10.5l4-7c1.7 0 2.6 1.2 2.3 2.8L12.7 9.5h5.6a2 2 0 0 1 2 2.4L19 18.3a2 2 0 0 1-2 1.7H7" />
          </svg>
        </button>
      ))}
      <span role="status" className="muted">
        {hasFailed ? "The feedback could not be stored." : rating && "Thank you."}
      </span>
    </p>
  );
}
