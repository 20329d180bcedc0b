import { useChat } from "@ai-sdk/react";
import { ApiError } from "health-assistant-client";
import type { HealthChatTransport, LoadedChat } from "health-assistant-client/ai-sdk";
import { useState } from "react";
import { type HealthMessage, MessageView } from "./message.tsx";

const EXAMPLES = [
  "Which vitamins do I need in winter?",
  "Can I take my leftover amoxicillin?",
  "My chest hurts, and my left arm is numb.",
  "هل يمكنني تناول الباراسيتامول مع أدويتي؟",
];

interface ChatProps {
  chat: LoadedChat;
  transport: HealthChatTransport;
  patient: string;
  /** Back to the list of patients. */
  onLeave: () => void;
  /** A new conversation for the same patient. */
  onRestart: () => void;
}

/** The words of an answer that failed were not stored and do not count; its alerts and cautions do. */
function withoutWords(message: HealthMessage): HealthMessage {
  return { ...message, parts: message.parts.filter(({ type }) => type !== "text") };
}

/** A conversation: its messages, and the field for the next one. */
export function Chat({ chat, transport, patient, onLeave, onRestart }: ChatProps) {
  const { messages, setMessages, sendMessage, regenerate, stop, status, error } = useChat<HealthMessage>({
    id: chat.id,
    messages: chat.messages,
    transport,
    resume: true,
    onFinish: ({ message, isError }) => {
      if (isError) {
        setMessages((all) => all.map((each) => (each.id === message.id ? withoutWords(each) : each)));
      }
    },
  });
  const [draft, setDraft] = useState("");
  const [kept, setKept] = useState<HealthMessage>();

  const last = messages.at(-1);
  const shownAgain = last?.role === "user" ? kept : undefined;
  const isBusy = status === "submitted" || status === "streaming";
  const hasEnded = error instanceof ApiError && error.code === "thread-not-found";
  const isUnfinished = !isBusy && !hasEnded && last !== undefined && last.metadata?.stored !== true;

  function send(text: string) {
    if (text.trim() !== "" && !isBusy && !hasEnded) {
      setMessages(shownAgain ? [...messages, shownAgain] : messages);
      setKept(undefined);
      setDraft("");
      sendMessage({ text });
    }
  }

  /** Asks for the same answer again. Its alert stays in view, whatever becomes of that. */
  function retry() {
    setKept(last?.role === "assistant" ? withoutWords(last) : kept);
    regenerate();
  }

  return (
    <div className="chat">
      <header>
        <h1>Health assistant</h1>
        {patient}
        <button type="button" onClick={onLeave}>
          Switch patient
        </button>
      </header>
      <main>
        <div>
          <p className="disclosure">{chat.disclosure}</p>
          <section role="log" aria-label="Conversation" aria-busy={isBusy}>
            {messages.map((message) => (
              <MessageView key={message.id} message={message} />
            ))}
            {shownAgain && <MessageView message={shownAgain} />}
          </section>
          {status === "submitted" && <p className="muted">The assistant is answering …</p>}
          {messages.length === 0 &&
            EXAMPLES.map((text) => (
              <button type="button" className="example" key={text} dir="auto" onClick={() => send(text)}>
                {text}
              </button>
            ))}
          {isUnfinished && (
            <p role="status">
              {error?.message ?? (last.metadata ? "The answer could not be stored." : "The answer is not complete.")}{" "}
              <button type="button" onClick={retry}>
                Try again
              </button>
            </p>
          )}
          {hasEnded && (
            <p role="status">
              This conversation has ended, and everything in it was deleted.{" "}
              <button type="button" onClick={onRestart}>
                Start a new one
              </button>
            </p>
          )}
        </div>
      </main>
      <form
        aria-label="New message"
        onSubmit={(event) => {
          event.preventDefault();
          send(draft);
        }}
      >
        <textarea
          aria-label="Message"
          placeholder="Ask about your health"
          rows={2}
          maxLength={16_000}
          dir="auto"
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
              event.preventDefault();
              send(draft);
            }
          }}
        />
        {isBusy ? (
          <button type="button" onClick={stop}>
            Stop
          </button>
        ) : (
          <button type="submit" disabled={hasEnded}>
            Send
          </button>
        )}
      </form>
    </div>
  );
}
