import type { UIMessage } from "ai";
import type { Alert, Caution, HealthDataParts, HealthMetadata } from "health-assistant-client/ai-sdk";
import Markdown from "markdown-to-jsx/react";

export type HealthMessage = UIMessage<HealthMetadata, HealthDataParts>;

const LEVELS = { emergency: "Emergency", crisis: "You are not alone" };

/** A message. What the service has found stands where it belongs: an alert before the words, a caution after them. */
export function MessageView({ message }: { message: HealthMessage }) {
  return (
    <article className={message.role} aria-label={message.role === "user" ? "You" : "Assistant"}>
      {message.parts.map((part, index) => {
        // The parts of a message are only ever appended.
        const key = `${message.id}-${index}`;
        switch (part.type) {
          case "data-alert":
            return <AlertView key={key} alert={part.data} />;
          case "data-caution":
            return <CautionView key={key} caution={part.data} />;
          case "text":
            return <Words key={key} text={part.text} isMarkdown={message.role === "assistant"} />;
          default:
            return null;
        }
      })}
    </article>
  );
}

/** Text in its own direction. HTML in an answer is shown as text. */
function Words({ text, isMarkdown }: { text: string; isMarkdown: boolean }) {
  return (
    <div className="words" dir="auto">
      {isMarkdown ? <Markdown options={{ disableParsingRawHTML: true, forceBlock: true }}>{text}</Markdown> : text}
    </div>
  );
}

/** Whom to call, announced at once. Every number in it is one to call. */
function AlertView({ alert: { level, text } }: { alert: Alert }) {
  const pieces = text.split(/(\+?\d[\d -]+\d)/);
  return (
    <section role="alert" className={`notice ${level}`} dir="auto">
      <strong>{LEVELS[level]}</strong>
      <p>
        {pieces.map((piece, index) =>
          index % 2 === 1 ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: the text of an alert never changes
            <a key={index} href={`tel:${piece.replaceAll(/[ -]/g, "")}`}>
              {piece}
            </a>
          ) : (
            piece
          ),
        )}
      </p>
    </section>
  );
}

/** A drug that does not go with the patient's record. */
function CautionView({ caution: { drug, text } }: { caution: Caution }) {
  return (
    <section role="alert" className="notice caution" dir="auto">
      <strong>Ask before you take {drug}</strong>
      <p>{text}</p>
    </section>
  );
}
