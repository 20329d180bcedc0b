// Generated from the OpenAPI document by "npm run client:types"; do not edit.

import type { DataPart, HealthChunk } from "./ai-sdk.js";
import type { Finding } from "./answer-pieces.js";
import type { ChatEvent } from "./client.js";
/**
 * Turns an answer into chunks of a UI message. Alerts, cautions and the disclosure are data parts, in their place between
 * the parts of the text. The same alert has the same id however often it arrives, so it replaces itself in a message that
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
 * @param {Finding} finding
 * @param {string} text
 * @returns {DataPart}
 */
export declare function dataPart(finding: Finding, text: string): DataPart;
