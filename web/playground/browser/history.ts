import type { Message } from "../../../client/client.js";
import type { Recorder } from "./recorder.ts";

/** A stored message, as `GET /threads/{id}/messages` returns it. */
interface StoredMessage extends Message {
  id: string;
  createdAt: string;
}

/** Some messages of a thread, oldest first, and whether there are older ones. */
export interface History {
  messages: StoredMessage[];
  hasMore: boolean;
}

const PAGE = 20;

/**
 * Reads messages of a thread.
 *
 * @param before the ID of the message before which they are; the newest if not given
 * @returns undefined if the service cannot give them: not every version has this endpoint
 */
export async function readHistory(
  { baseUrl, apiKey, recorder }: { baseUrl: string; apiKey: string; recorder: Recorder },
  threadId: string,
  before?: string,
): Promise<History | undefined> {
  const query = new URLSearchParams({ limit: String(PAGE), ...(before && { before }) });
  try {
    const response = await recorder.fetch(`${baseUrl}/threads/${encodeURIComponent(threadId)}/messages?${query}`, {
      headers: { accept: "application/json", "x-api-key": apiKey },
      cache: "no-store",
    });
    const body = await response.json();
    return response.ok ? { messages: body.messages.toReversed(), hasMore: body.hasMore } : undefined;
  } catch {
    return undefined;
  }
}
