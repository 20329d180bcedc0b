// What Twilio (SMS and WhatsApp) and Meta (WhatsApp) send and accept: "Validating Requests" and "Messages resource" of
// Twilio; "Webhooks" and "Send messages" of Meta's WhatsApp Cloud API.
import { createHmac, timingSafeEqual } from "node:crypto";

const { env } = process;
const { TWILIO_API = "https://api.twilio.com", META_API = "https://graph.facebook.com/v23.0" } = env;

/** Without its secret, a provider is closed. */
function isSigned(signature = "", algorithm, secret, text, encoding) {
  const right = Buffer.from(secret ? createHmac(algorithm, secret).update(text).digest(encoding) : "");
  const sent = Buffer.from(signature);
  return right.length > 0 && sent.length === right.length && timingSafeEqual(sent, right);
}

/** Errors for good: the user has opted out, which Twilio itself notes, or cannot be reached; Meta's 24 hours are over. */
const FOR_GOOD = [21610, 21211, 131026, 131047];

async function post(url, authorization, body) {
  const response = await fetch(url, { method: "POST", headers: { authorization }, body });
  if (!response.ok) {
    const { code, error } = await response.json().catch(() => ({})); // Twilio's, and Meta's
    const report = `the provider answered ${response.status}, error ${error?.code ?? code}, when a message was sent`;
    if (!FOR_GOOD.includes(error?.code ?? code)) {
      throw new Error(report);
    }
    process.stderr.write(`${report}\n`);
  }
}

const twilio = {
  longest: 1_500,
  isGenuine(body, headers) {
    const fields = [...new URLSearchParams(body)].sort(([a], [b]) => (a < b ? -1 : 1)).flat();
    const signed = `${env.PUBLIC_URL}/twilio${fields.join("")}`;
    return isSigned(headers["x-twilio-signature"], "sha1", env.TWILIO_AUTH_TOKEN, signed, "base64");
  },
  messagesIn(body) {
    const { From: from, To: to, Body: text, MessageSid: id } = Object.fromEntries(new URLSearchParams(body));
    // A report of what became of a message has no body. That of a picture is its caption.
    return id && text !== undefined ? [{ id, from, to, phone: from.replace("whatsapp:", ""), text }] : [];
  },
  send({ from, to }, text) {
    const { TWILIO_ACCOUNT_SID: account, TWILIO_AUTH_TOKEN: token } = env;
    const url = `${TWILIO_API}/2010-04-01/Accounts/${account}/Messages.json`;
    return post(url, `Basic ${btoa(`${account}:${token}`)}`, new URLSearchParams({ To: from, From: to, Body: text }));
  },
};

const meta = {
  longest: 4_000,
  isGenuine: (body, headers) =>
    isSigned(headers["x-hub-signature-256"]?.replace("sha256=", ""), "sha256", env.META_APP_SECRET, body, "hex"),
  messagesIn: (body) =>
    (JSON.parse(body).entry ?? [])
      .flatMap(({ changes }) => changes)
      .flatMap(({ value: { messages = [], metadata } }) =>
        messages
          .filter(({ type }) => type !== "reaction" && type !== "system") // nor news of the user's number
          .map(({ id, from, type, ...content }) => {
            const text = content.text?.body ?? content[type]?.caption ?? "";
            return { id, from, to: metadata.phone_number_id, phone: `+${from}`, text };
          }),
      ),
  send({ from, to }, text) {
    const body = JSON.stringify({ messaging_product: "whatsapp", to: from, type: "text", text: { body: text } });
    const json = new Blob([body], { type: "application/json" });
    return post(`${META_API}/${to}/messages`, `Bearer ${env.META_ACCESS_TOKEN}`, json);
  },
};

/** Each: whether a request is the provider's, its messages, and how a text is sent. */
export const providers = { "/twilio": twilio, "/meta": meta };
