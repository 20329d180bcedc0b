import { MessagePrimitive } from "@assistant-ui/react";
import type { Caution } from "health-assistant-client/ai-sdk";
import { AlertView } from "./alert.tsx";
import { Feedback, SourcesView, Words } from "./answer.tsx";
import { WithCalls } from "./calls.tsx";

interface MessageProps {
  role: string;
  /** The person who has written it, having taken over. */
  author: string | undefined;
  /** Of an answer that is stored. */
  messageId: string | undefined;
  /** Whether it says that a person has taken over, if that is so. */
  isNoticeShown: boolean;
}

/** A message. What the service has found stands where it belongs: an alert before the words, a caution after them. */
export function Message({ role, author, messageId, isNoticeShown }: MessageProps) {
  return (
    <MessagePrimitive.Root asChild>
      <article className={author ? "person" : role} aria-label={author ?? (role === "user" ? "You" : "Assistant")}>
        {author && (
          <p className="author">
            <bdi>{author}</bdi> <span className="muted">a person</span>
          </p>
        )}
        <div className="said">
          <MessagePrimitive.Parts>
            {({ part }) => {
              if (part.type === "text") {
                return role === "assistant" && !author ? (
                  <Words text={part.text} isArriving={part.status.type === "running"} />
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
                    <WithCalls isCertain>{part.data.text}</WithCalls>
                  </p>
                );
              }
              if (part.type === "data" && part.name === "sources") {
                return <SourcesView sources={part.data} />;
              }
              return null;
            }}
          </MessagePrimitive.Parts>
        </div>
        {messageId && <Feedback messageId={messageId} />}
      </article>
    </MessagePrimitive.Root>
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
