import { AnswerPieces } from "./answer-pieces.js";
import { ApiError } from "./api-error.js";

/** @import { DataPart, HealthChunk } from "./ai-sdk.js" */
/** @import { Finding } from "./answer-pieces.js" */
/** @import { ChatEvent } from "./client.js" */

/**
 * Turns an answer into chunks of a UI message. Alerts, cautions and the disclosure are data parts, in their place between
 * the parts of the text. The same alert has the same id however often it arrives, so it replaces itself in a message that
 * is continued.
 *
 * @param {AsyncGenerator<ChatEvent, void, void>} events
 * @param {string | undefined} disclosure
 * @returns {AsyncGenerator<HealthChunk, void, void>}
 */
export async function* answerChunks(events, disclosure) {
  const pieces = new AnswerPieces();
  let texts = 0;
  let text = "";
  yield { type: "start" };
  if (disclosure !== undefined) {
    yield disclosurePart(disclosure);
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
            yield dataPart(piece.finding, piece.text);
          } else if (delta !== "") {
            if (text === "") {
              text = `text-${++texts}`;
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
 * @param {string} text
 * @returns {DataPart}
 */
export function disclosurePart(text) {
  return { type: "data-disclosure", id: "disclosure", data: { text } };
}

/**
 * @param {Finding} finding
 * @param {string} text
 * @returns {DataPart}
 */
export function dataPart(finding, text) {
  if (finding.kind === "caution") {
    const { kind, drug, because } = finding.caution;
    return { type: "data-caution", id: `${kind}-${drug}-${because}`, data: { ...finding.caution, text } };
  }
  const { kind: level, category } = finding;
  return { type: "data-alert", id: level, data: { level, category, text } };
}
