/** A message in the webhook inbox of the local service (`local/webhook-inbox.ts`). */
export interface Delivery {
  /** Increases by one with each message. */
  number: number;
  /** ISO 8601. */
  receivedAt: string;
  headers: Record<string, string>;
  body: string;
  /** Whether the signature is one with the webhook's secret, and not older than five minutes. */
  valid: boolean;
}

/** The type of the event, such as `handoff.requested`. */
export function typeOf({ body }: Delivery): string {
  try {
    const { type } = JSON.parse(body);
    return typeof type === "string" ? type : "no type";
  } catch {
    return "no JSON";
  }
}
