import { useChat } from "@ai-sdk/react";
import { AssistantRuntimeProvider, ThreadPrimitive } from "@assistant-ui/react";
import { useAISDKRuntime } from "@assistant-ui/react-ai-sdk";
import type { UIMessage } from "ai";
import { ApiError } from "health-assistant-client";
import type { HealthChatTransport, HealthDataParts, HealthMetadata, LoadedChat } from "health-assistant-client/ai-sdk";
import { useEffect } from "react";
import { PinnedAlert } from "./alert.tsx";
import { Composer } from "./composer.tsx";
import { Message } from "./message.tsx";

type HealthMessage = UIMessage<HealthMetadata, HealthDataParts>;

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

/** How often the page looks for what a person has written. */
const LOOK_MILLISECONDS = 4_000;

/** The notices that a person has taken over which only repeat the one before, by the IDs of their messages. */
function repeatedNotices(messages: readonly HealthMessage[]): Set<string> {
  const repeated = new Set<string>();
  let last: string | undefined;
  for (const { id, parts } of messages.filter(({ role, metadata }) => role === "assistant" && !metadata?.author)) {
    const text = parts.find((part) => part.type === "data-held")?.data.text;
    if (text !== undefined && text === last) {
      repeated.add(id);
    }
    last = text;
  }
  return repeated;
}

/** A conversation: its messages, and the field for the next one. */
export function Chat({ chat, transport, patient, onLeave, onRestart }: ChatProps) {
  const conversation = useChat<HealthMessage>({
    id: chat.id,
    messages: chat.messages,
    transport,
    resume: true,
    onFinish: ({ message, isError }) => {
      if (isError) {
        takeBackWords(message);
      }
    },
  });
  const { messages, setMessages, sendMessage, stop, status, error } = conversation;
  const last = messages.at(-1);
  const isBusy = status === "submitted" || status === "streaming";
  const hasEnded = error instanceof ApiError && error.code === "thread-not-found";
  const isUnfinished = !isBusy && !hasEnded && last !== undefined && last.metadata?.stored !== true;
  const isLost = last?.metadata?.stored === false;
  const runtime = useAISDKRuntime(conversation, { isDisabled: hasEnded, joinStrategy: "none" });

  // What a person writes arrives here; not while an answer does, which the AI SDK keeps as the last message.
  useEffect(() => {
    if (isBusy || hasEnded) {
      return;
    }
    const stopping = new AbortController();
    const look = async () => {
      const { signal } = stopping;
      const written = document.hidden ? [] : await transport.personMessages(messages, { signal }).catch(() => []);
      if (written.length > 0 && !signal.aborted) {
        setMessages((all) => [...all, ...written]);
      }
    };
    const timer = setInterval(look, LOOK_MILLISECONDS);
    return () => {
      clearInterval(timer);
      stopping.abort();
    };
  }, [isBusy, hasEnded, messages, setMessages, transport]);

  const repeated = repeatedNotices(messages);
  const alert = messages.flatMap(({ parts }) => parts).findLast((part) => part.type === "data-alert")?.data;
  const authorOf = (id: string) => messages.find((message) => message.id === id)?.metadata?.author;

  function takeBackWords({ id }: HealthMessage) {
    setMessages((all) => all.map((each) => (each.id === id && each.role === "assistant" ? withoutWords(each) : each)));
  }

  /** Asks for the same answer again, which continues the message: its alert stays in view, whatever becomes of that. */
  function retry(unfinished: HealthMessage) {
    takeBackWords(unfinished);
    sendMessage();
  }

  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <ThreadPrimitive.Root className="chat">
        <header>
          <div>
            <h1>Health assistant</h1>
            <span className="muted">{patient}</span>
          </div>
          <button type="button" onClick={onLeave}>
            Switch patient
          </button>
        </header>
        {alert && <PinnedAlert alert={alert} />}
        <ThreadPrimitive.Viewport asChild autoScroll={last !== undefined}>
          <main>
            <p className="disclosure muted">{chat.disclosure}</p>
            <section role="log" aria-label="Conversation" aria-busy={isBusy}>
              <ThreadPrimitive.Messages>
                {({ message }) => (
                  <Message
                    role={message.role}
                    author={authorOf(message.id)}
                    isNoticeShown={!repeated.has(message.id)}
                  />
                )}
              </ThreadPrimitive.Messages>
            </section>
            {status === "submitted" && <p className="muted">The assistant is answering …</p>}
            <ThreadPrimitive.Empty>
              <h2>What would you like to know?</h2>
              <p>
                Ask about symptoms, medicines or your health. Answers take your record into account. The conversation is
                deleted after some time without a message.
              </p>
              <p className="muted">For example:</p>
              {EXAMPLES.map((text) => (
                <ThreadPrimitive.Suggestion key={text} className="example" dir="auto" prompt={text} send>
                  {text}
                </ThreadPrimitive.Suggestion>
              ))}
            </ThreadPrimitive.Empty>
            {isUnfinished && (
              <p role="status">
                {error?.message ?? (isLost ? "The answer could not be stored." : "The answer is not complete.")}{" "}
                <button type="button" onClick={() => retry(last)}>
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
          </main>
        </ThreadPrimitive.Viewport>
        <Composer isBusy={isBusy} stop={stop} />
      </ThreadPrimitive.Root>
    </AssistantRuntimeProvider>
  );
}
