import { ApiError } from "./api-error.js";

/** @import { DataPart, HealthChunk } from "./ai-sdk.js" */
/** @import { ChatEvent } from "./client.js" */
/** @import { AnswerPart, Citation } from "./schemas.d.ts" */

/**
 * Turns an answer into chunks of a UI message. Alerts, cautions and the disclosure are data parts, in their place
 * between the texts. The same alert has the same id however often it arrives, so it replaces itself in a message that
 * is continued.
 *
 * @param {AsyncGenerator<ChatEvent, void, void>} events
 * @param {string | undefined} disclosure
 * @returns {AsyncGenerator<HealthChunk, void, void>}
 */
export async function* answerChunks(events, disclosure) {
  /** @type {Map<number | undefined, AnswerPart>} */
  const parts = new Map();
  let open = "";
  yield { type: "start" };
  if (disclosure !== undefined) {
    yield disclosurePart(disclosure);
  }
  try {
    for await (const event of events) {
      if (event.event === "part" || event.event === "done") {
        if (open !== "") {
          yield { type: "text-end", id: open };
          open = "";
        }
      }
      if (event.event === "part") {
        parts.set(event.number, event.part);
        if (!dataPart(event.part)) {
          open = `text-${event.number}`;
          yield { type: "text-start", id: open };
        }
      } else if (event.event === "delta") {
        const part = /** @type {AnswerPart} */ (parts.get(event.part));
        part.text += event.text;
        yield dataPart(part) ?? { type: "text-delta", id: open, delta: event.text };
      } else if (event.event === "done") {
        const { threadId, ids, citations = [] } = event.response;
        if (citations.length > 0) {
          yield sourcesPart(citations);
        }
        const messageMetadata = { stored: threadId !== undefined, ...(ids && { messageId: ids.assistant }) };
        yield { type: "finish", finishReason: "stop", messageMetadata };
      }
    }
  } catch (error) {
    if (!(error instanceof ApiError)) {
      throw error; // the browser has gone
    }
    yield {
      type: "error",
      errorText: error.message,
      ...(error.code !== undefined && { code: error.code }),
      help: error.help,
    };
  }
}

/**
 * @param {string} text
 * @returns {DataPart}
 */
export function disclosurePart(text) {
  return { type: "data-disclosure", id: "disclosure", data: { text } };
}

/**
 * Returns what shows a part as something else than text.
 *
 * @param {AnswerPart} part
 * @returns {DataPart | undefined}
 */
export function dataPart(part) {
  if (part.kind === "caution") {
    const { basis, drug, because, text } = part;
    return { type: "data-caution", id: `${basis}-${drug}-${because}`, data: { kind: basis, drug, because, text } };
  }
  if (part.kind === "alert") {
    const { level, category, text } = part;
    return { type: "data-alert", id: level, data: { level, category, text } };
  }
  if (part.kind === "held") {
    return { type: "data-held", id: "held", data: { text: part.text } };
  }
  return part.kind === "sources" ? sourcesPart(part.citations) : undefined;
}

/**
 * @param {Citation[]} citations
 * @returns {DataPart}
 */
function sourcesPart(citations) {
  return { type: "data-sources", id: "sources", data: { citations } };
}
