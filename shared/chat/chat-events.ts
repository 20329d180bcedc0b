import type { AnswerPart } from "../threads/answer-parts.ts";
import { asksFor, type ChatRequest, safetyFor } from "./chat-request.ts";
import { type ReplyListener, textListener } from "./reply.ts";

/**
 * Returns a listener that sends a reply as server-sent events: `delta` with the text and, if the request asks for them,
 * the parts that it belongs to, the findings, and why a person is needed.
 *
 * @param send sends an event with its data
 */
export function chatEvents(request: ChatRequest, send: (data: unknown, event: string) => void): ReplyListener {
  const text = asksFor("parts", request) ? partListener(send) : textListener((text) => send({ text }, "delta"));
  const { onPart } = text;
  return {
    ...text,
    onSafety: (safety) => {
      const asked = safetyFor(request, safety);
      if (asked) {
        send(asked, "safety");
      }
    },
    ...(asksFor("sources", request) && {
      onPart: (number: number, part: AnswerPart) =>
        part.kind === "sources" ? send({ citations: part.citations }, "sources") : onPart(number, part),
    }),
    ...(asksFor("handoff", request) && { onHandoff: (handoff) => send(handoff, "handoff") }),
  };
}

/** An event `part` announces each part; the events `delta` with its text have its number. */
function partListener(send: (data: unknown, event: string) => void): ReplyListener {
  const onText = (part: number, text: string) => send({ part, text }, "delta");
  return {
    onPart: (number, { text, ...part }) => {
      send({ part: number, ...part }, "part");
      onText(number, text);
    },
    onText,
  };
}
