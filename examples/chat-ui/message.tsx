import { MessagePrimitive } from "@assistant-ui/react";
import type { Alert, Caution } from "health-assistant-client/ai-sdk";
import Markdown from "markdown-to-jsx/react";

const LEVELS = { emergency: "Emergency", crisis: "You are not alone" };

interface MessageProps {
  role: string;
  /** The person who has written it, having taken over. */
  author: string | undefined;
  /** Whether it says that a person has taken over, if that is so. */
  isNoticeShown: boolean;
}

/** A message. What the service has found stands where it belongs: an alert before the words, a caution after them. */
export function Message({ role, author, isNoticeShown }: MessageProps) {
  return (
    <MessagePrimitive.Root asChild>
      <article className={author ? "person" : role} aria-label={author ?? (role === "user" ? "You" : "Assistant")}>
        {author && (
          <p className="author">
            <bdi>{author}</bdi> <span className="muted">a person</span>
          </p>
        )}
        <MessagePrimitive.Parts>
          {({ part }) => {
            if (part.type === "text") {
              return <Words text={part.text} isMarkdown={role === "assistant" && !author} />;
            }
            if (part.type === "data" && part.name === "alert") {
              return <AlertView alert={part.data} />;
            }
            if (part.type === "data" && part.name === "caution") {
              return <CautionView caution={part.data} />;
            }
            if (part.type === "data" && part.name === "held" && isNoticeShown) {
              return (
                <p className="muted" dir="auto">
                  {part.data.text}
                </p>
              );
            }
            return null;
          }}
        </MessagePrimitive.Parts>
      </article>
    </MessagePrimitive.Root>
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
  const pieces = text.replaceAll("\n\n", "\n").split(/(\+?\d[\d -]+\d)/);
  return (
    <section role="alert" className={`notice ${level}`}>
      <strong>{LEVELS[level]}</strong>
      <p dir="auto">
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
    <section role="alert" className="notice caution">
      <strong>Ask before you take {drug}</strong>
      <p dir="auto">{text}</p>
    </section>
  );
}
