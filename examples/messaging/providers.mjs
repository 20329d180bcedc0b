// What Twilio (SMS and WhatsApp) and Meta (WhatsApp) send and accept: "Validating Requests" and "Messages resource" of
// Twilio; "Webhooks" and "Send messages" of Meta's WhatsApp Cloud API.
import { createHmac, timingSafeEqual } from "node:crypto";

const { env } = process;
const { TWILIO_API = "https://api.twilio.com", META_API = "https://graph.facebook.com/v23.0" } = env;

const signed = (algorithm, key, text, encoding) => createHmac(algorithm, key).update(text).digest(encoding);
const isEqual = (sent = "", right) =>
  sent.length === right.length && timingSafeEqual(Buffer.from(sent), Buffer.from(right));

/** Not a reaction to a message, nor news of the user's number. */
const isSaid = ({ type }) => type !== "reaction" && type !== "system";

/** Errors for good: the user has opted out, which Twilio itself notes, or cannot be reached; Meta's 24 hours are over. */
const FOR_GOOD = [21610, 21211, 131026, 131047];

async function post(url, authorization, type, body) {
  const response = await fetch(url, { method: "POST", headers: { authorization, "content-type": type }, body });
  if (!response.ok) {
    const { code, error } = await response.json().catch(() => ({})); // Twilio's, and Meta's
    const report = `the provider answered ${response.status}, error ${error?.code ?? code}, when a message was sent`;
    if (!FOR_GOOD.includes(error?.code ?? code)) {
      throw new Error(report);
    }
    process.stderr.write(`${report}\n`);
  }
}

/** Each: whether a request is the provider's, its messages, and how a text is sent. Without its secret, it is closed. */
export const providers = {
  "/twilio": {
    longest: 1_500,
    isGenuine(body, headers) {
      const fields = [...new URLSearchParams(body)]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .flat()
        .join("");
      const key = env.TWILIO_AUTH_TOKEN ?? "";
      return (
        key !== "" &&
        isEqual(headers["x-twilio-signature"], signed("sha1", key, `${env.PUBLIC_URL}/twilio${fields}`, "base64"))
      );
    },
    messagesIn(body) {
      const { From: from, To: to, Body: text, MessageSid: id } = Object.fromEntries(new URLSearchParams(body));
      // A report of what became of a message has no body. That of a picture is its caption.
      return id && text !== undefined ? [{ id, from, to, phone: from.replace("whatsapp:", ""), text }] : [];
    },
    send({ from, to }, text) {
      const { TWILIO_ACCOUNT_SID: account, TWILIO_AUTH_TOKEN: token } = env;
      const url = `${TWILIO_API}/2010-04-01/Accounts/${account}/Messages.json`;
      const basic = `Basic ${Buffer.from(`${account}:${token}`).toString("base64")}`;
      return post(
        url,
        basic,
        "application/x-www-form-urlencoded",
        new URLSearchParams({ To: from, From: to, Body: text }).toString(),
      );
    },
  },
  "/meta": {
    longest: 4_000,
    isGenuine: (body, headers) =>
      Boolean(env.META_APP_SECRET) &&
      isEqual(headers["x-hub-signature-256"], `sha256=${signed("sha256", env.META_APP_SECRET, body, "hex")}`),
    messagesIn: (body) =>
      (JSON.parse(body).entry ?? [])
        .flatMap(({ changes }) => changes)
        .flatMap(({ value: { messages = [], metadata } }) =>
          messages.filter(isSaid).map((message) => ({
            id: message.id,
            from: message.from,
            to: metadata.phone_number_id,
            phone: `+${message.from}`,
            text: message.text?.body ?? message[message.type]?.caption ?? "",
          })),
        ),
    send: ({ from, to }, text) =>
      post(
        `${META_API}/${to}/messages`,
        `Bearer ${env.META_ACCESS_TOKEN}`,
        "application/json",
        JSON.stringify({ messaging_product: "whatsapp", to: from, type: "text", text: { body: text } }),
      ),
  },
};
