import { createHmac, randomBytes } from "node:crypto";

const PREFIX = "whsec_";

/** Within the 24 to 64 bytes that Standard Webhooks asks for ("Signature scheme"). */
const SECRET_BYTES = 32;

/** Returns a new random secret, as receivers configure it. */
export function newSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString("base64");
}

/**
 * Returns the headers of a message: its ID, the time of this attempt, and a signature with each secret (Standard
 * Webhooks, "Webhook headers" and "Signature scheme": HMAC-SHA256 over ID, time and body, joined by dots).
 *
 * @param secrets all that are valid
 * @param now milliseconds since the epoch
 */
export function signedHeaders(secrets: string[], id: string, body: string, now: number): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
  });
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}
