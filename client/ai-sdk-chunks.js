import { AnswerPieces } from "./answer-pieces.js";
import { ApiError } from "./api-error.js";

/** @import { HealthChunk } from "./ai-sdk.js" */
/** @import { Finding } from "./answer-pieces.js" */
/** @import { ChatEvent } from "./client.js" */

/**
 * Turns an answer into chunks of a UI message. Alerts, cautions and the disclosure are data parts, in their place between
 * the parts of the text.
 *
 * @param {AsyncGenerator<ChatEvent, void, void>} events
 * @param {string | undefined} disclosure
 * @returns {AsyncGenerator<HealthChunk, void, void>}
 */
export async function* answerChunks(events, disclosure) {
  const pieces = new AnswerPieces();
  let parts = 0;
  let text = "";
  yield { type: "start" };
  if (disclosure !== undefined) {
    yield { type: "data-disclosure", id: "disclosure", data: { text: disclosure } };
  }
  try {
    for await (const event of events) {
      if (event.event === "safety") {
        pieces.noteSafety(event.safety);
      } else if (event.event === "delta") {
        for (const piece of pieces.take(event.text)) {
          if (piece.finding && text !== "") {
            yield { type: "text-end", id: text };
            text = "";
          }
          const delta = text === "" ? piece.text.trimStart() : piece.text;
          if (piece.finding) {
            yield dataPart(piece.finding, piece.text, `part-${++parts}`);
          } else if (delta !== "") {
            if (text === "") {
              text = `part-${++parts}`;
              yield { type: "text-start", id: text };
            }
            yield { type: "text-delta", id: text, delta };
          }
        }
      } else if (event.event === "done") {
        if (text !== "") {
          yield { type: "text-end", id: text };
        }
        const stored = event.response.threadId !== undefined;
        yield { type: "finish", finishReason: "stop", messageMetadata: { stored } };
      }
    }
  } catch (error) {
    if (!(error instanceof ApiError)) {
      throw error; // the browser has gone
    }
    yield { type: "error", errorText: error.message, ...(error.code !== undefined && { code: error.code }) };
  }
}

/**
 * @param {Finding} finding
 * @param {string} text
 * @param {string} id
 * @returns {HealthChunk}
 */
function dataPart(finding, text, id) {
  return finding.kind === "caution"
    ? { type: "data-caution", id, data: { ...finding.caution, text } }
    : { type: "data-alert", id, data: { level: finding.kind, category: finding.category, text } };
}
