// Generated from the OpenAPI document by "npm run client:types"; do not edit.

import type { DataPart, HealthChunk } from "./ai-sdk.js";
import type { ChatEvent } from "./client.js";
import type { AnswerPart } from "./schemas.d.ts";
/**
 * Turns an answer into chunks of a UI message. Alerts, cautions and the disclosure are data parts, in their place
 * between the texts. The same alert has the same id however often it arrives, so it replaces itself in a message that
 * is continued.
 *
 * @param {AsyncGenerator<ChatEvent, void, void>} events
 * @param {string | undefined} disclosure
 * @returns {AsyncGenerator<HealthChunk, void, void>}
 */
export declare function answerChunks(
  events: AsyncGenerator<ChatEvent, void, void>,
  disclosure: string | undefined,
): AsyncGenerator<HealthChunk, void, void>;
/**
 * @param {string} text
 * @returns {DataPart}
 */
export declare function disclosurePart(text: string): DataPart;
/**
 * Returns what shows a part as something else than text.
 *
 * @param {AnswerPart} part
 * @returns {DataPart | undefined}
 */
export declare function dataPart(part: AnswerPart): DataPart | undefined;
