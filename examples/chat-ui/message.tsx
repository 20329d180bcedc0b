import { MessagePrimitive } from "@assistant-ui/react";
import type { Caution } from "health-assistant-client/ai-sdk";
import Markdown from "markdown-to-jsx/react";
import { AlertView } from "./alert.tsx";

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
              return role === "assistant" && !author ? (
                <Answer text={part.text} isArriving={part.status.type === "running"} />
              ) : (
                <div className="words" dir="auto">
                  {part.text}
                </div>
              );
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

/**
 * An answer, each paragraph in its own direction. HTML in it is shown as text; while it arrives, Markdown that is not
 * complete is held back.
 */
function Answer({ text, isArriving }: { text: string; isArriving: boolean }) {
  const options = { disableParsingRawHTML: true, forceBlock: true, optimizeForStreaming: isArriving };
  return (
    <div className="words" dir="auto">
      <Markdown options={options}>{text}</Markdown>
    </div>
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
