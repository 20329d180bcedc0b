import { json } from "node:stream/consumers";
import { type Listening, servePrograms } from "../../packages/lambda-local/loopback.ts";
import { API_KEY } from "./evaluate-model-report.ts";
import { responseTo, WIRE_FORMS, type WireForm } from "./wire-forms.ts";

/** A calm message, so that a failure is the documented one. */
const MESSAGE = "When is a good time of day to take vitamin D?";

/** A model's server that sends one form after another. */
export async function startWireServer(): Promise<Listening & { use(form: WireForm): void }> {
  let form: WireForm | undefined;
  const server = await servePrograms(async (request, response) => {
    if (request.method !== "POST" || !form) {
      response.writeHead(404).end();
      return;
    }
    const sent = responseTo(form, (await json(request)) as Record<string, unknown>);
    response.writeHead(sent.status, { "content-type": sent.type }).end(sent.body);
  });
  return {
    ...server,
    use: (next) => {
      form = next;
    },
  };
}

/**
 * Plays every recorded form of a model's response through the whole service.
 *
 * @param use sets the form that the model's server sends
 * @returns a line for each form that does not come out as it should, in JSON or in a stream
 */
export async function playWireForms(baseUrl: string, use: (form: WireForm) => void): Promise<string[]> {
  const faults: string[] = [];
  for (const form of WIRE_FORMS) {
    use(form);
    for (const accept of ["application/json", "text/event-stream"]) {
      const response = await fetch(`${baseUrl}/chat`, {
        method: "POST",
        headers: { "x-api-key": API_KEY, "content-type": "application/json", accept },
        body: JSON.stringify({ message: MESSAGE }),
      });
      const text = await response.text();
      const data = text.startsWith("{") ? text : text.trim().split("\ndata: ").at(-1);
      const answer = JSON.parse(data ?? "{}").response;
      if (answer !== ("answer" in form.expected ? form.expected.answer : undefined)) {
        faults.push(`${form.name} (${form.server}), as ${accept}`);
      }
    }
  }
  return faults;
}
