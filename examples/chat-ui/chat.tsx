import { useChat } from "@ai-sdk/react";
import { AssistantRuntimeProvider, ThreadPrimitive } from "@assistant-ui/react";
import { useAISDKRuntime } from "@assistant-ui/react-ai-sdk";
import type { UIMessage } from "ai";
import { ApiError } from "health-assistant-client";
import type { HealthChatTransport, HealthDataParts, HealthMetadata, LoadedChat } from "health-assistant-client/ai-sdk";
import { useEffect, useRef } from "react";
import { PinnedAlerts } from "./alert.tsx";
import { WithCalls } from "./calls.tsx";
import { Composer } from "./composer.tsx";
import { ConsentStep } from "./consent.tsx";
import { Message } from "./message.tsx";

type HealthMessage = UIMessage<HealthMetadata, HealthDataParts>;

const EXAMPLES = [
  "Which vitamins do I need in winter?",
  "Can I take my leftover amoxicillin?",
  "My chest hurts, and my left arm is numb.",
  "هل يمكنني تناول الباراسيتامول مع أدويتي؟",
];

/** What the button says for the patient. The service recognizes it, and tells whoever is there to help. */
const ASK_FOR_PERSON = "I would like to talk to a person.";

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
  const needsConsent = error instanceof ApiError && error.code === "consent-required";
  const isUnfinished = !isBusy && !hasEnded && !needsConsent && last !== undefined && last.metadata?.stored !== true;
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

  // assistant-ui keeps a question at the top only while its answer arrives, which a short one does between two frames.
  const viewport = useRef<HTMLElement>(null);
  useEffect(() => {
    const question = [...(viewport.current?.querySelectorAll("article.user") ?? [])].at(-1);
    const { bottom = 0 } = viewport.current?.getBoundingClientRect() ?? {};
    const wasSent = status === "submitted";
    if (question && (wasSent || (status === "ready" && question.getBoundingClientRect().bottom <= bottom))) {
      question.scrollIntoView({ block: "start" });
    }
  }, [status]);

  const repeated = repeatedNotices(messages);
  const alerts = messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "data-alert" ? [part.data] : [])),
  );
  const aboutMessage = (id: string) => {
    const { author, messageId } = messages.find((message) => message.id === id)?.metadata ?? {};
    return { author, messageId };
  };

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
        {alerts.length > 0 && <PinnedAlerts alerts={alerts} />}
        <ThreadPrimitive.Viewport asChild turnAnchor="top" scrollToBottomOnInitialize={chat.messages.length > 0}>
          <main ref={viewport}>
            <p className="disclosure muted">{chat.disclosure}</p>
            <section role="log" aria-label="Conversation" aria-busy={isBusy}>
              <ThreadPrimitive.Messages>
                {({ message }) => (
                  <Message
                    role={message.role}
                    {...aboutMessage(message.id)}
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
            {error instanceof ApiError && error.help && (
              <p role="alert">
                <WithCalls isCertain>{error.help.text}</WithCalls>
              </p>
            )}
            {needsConsent && last && <ConsentStep onAgree={() => retry(last)} />}
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
            <ThreadPrimitive.ScrollToBottom className="to-end" aria-label="Newest messages">
              ↓
            </ThreadPrimitive.ScrollToBottom>
          </main>
        </ThreadPrimitive.Viewport>
        <Composer isBusy={isBusy} stop={stop} onAskForPerson={() => sendMessage({ text: ASK_FOR_PERSON })} />
      </ThreadPrimitive.Root>
    </AssistantRuntimeProvider>
  );
}
