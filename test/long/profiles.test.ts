import { expect, test } from "@jest/globals";
import { COUNTRIES, helpLinesOf } from "../../shared/help-lines.ts";
import { seededRandom } from "../helpers/database/random-faults.ts";
import { echo } from "../helpers/model/scripted-model.ts";
import { addClients } from "../helpers/service/clients.ts";
import { setUpService } from "../helpers/service/service.ts";

const STEPS = Number(process.env.PROFILE_STEPS ?? 2_000);
const SEED = Date.now();

const service = setUpService({ SECRETS_CACHE_SECONDS: "1" });

/** An alert in each language, with what its text begins with the number in. */
const DANGERS = [
  "I have crushing chest pain and my left arm is numb",
  "Tengo un dolor muy fuerte en el pecho y no puedo respirar",
  "J'ai une douleur terrible dans la poitrine et je n'arrive plus à respirer",
  "Ich habe starke Schmerzen in der Brust und bekomme keine Luft mehr",
];

/** A sentence of the disclosure by the clinic's language. */
const DISCLOSURES: Record<string, RegExp> = {
  en: /Answers come from an AI/,
  es: /inteligencia artificial y no sustituyen/,
  fr: /ne remplacent pas une prise en charge/,
  de: /KI|künstlich/,
};
const LANGUAGES = Object.keys(DISCLOSURES);

interface Profile {
  country: string;
  language: string;
  contact: string;
  timeZone: string;
  openingHours: object[];
}

/** One clinic, whose profile changes again and again: each answer has to be that of its own last profile. */
async function live(name: string, key: string, random: () => number, others: RegExp): Promise<void> {
  const pick = <T>(all: readonly T[]) => all[Math.floor(random() * all.length)] as T;
  const call = (method: string, path: string, body?: object) => service.call(method, path, { key, body });
  let version = 0;
  const change = async (): Promise<Profile> => {
    const always = [
      {
        days: ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"],
        opens: "00:00",
        closes: "24:00",
      },
    ];
    const profile = {
      country: pick(COUNTRIES),
      language: pick(LANGUAGES),
      contact: `${name}-${++version}-desk`,
      timeZone: "UTC",
      openingHours: random() < 0.5 ? always : [],
    };
    expect((await call("PUT", "/profile", profile)).status).toBe(200);
    return profile;
  };
  let profile = await change();
  const lines = () => helpLinesOf(profile.country);
  const steps: Record<string, () => Promise<void>> = {
    "a change of the profile": async () => {
      profile = await change();
    },
    "an alert": async () => {
      const { body } = await call("POST", "/chat", { message: pick(DANGERS), include: ["safety"] });
      expect(body.safety.level).toBe("emergency");
      expect(body.response).toContain(lines().emergencyNumber);
      expect(body.response).not.toMatch(others);
    },
    "a failure": async () => {
      const message = "FAIL: can I take ibuprofen after lunch?";
      const { status, body, headers } = await call("POST", "/chat", { message, include: ["safety"] });
      expect(status).toBe(500);
      expect(body.help.emergencyNumber).toBe(lines().emergencyNumber);
      expect(body.help.crisisLine).toBe(lines().crisisLine);
      expect(headers.get("x-help-lines")).toContain(`emergency="${lines().emergencyNumber}"`);
    },
    "a new thread": async () => {
      const { message } = (await call("POST", "/threads", {})).body;
      expect(message).toMatch(DISCLOSURES[profile.language] ?? /none/);
      expect(message).toContain(`${profile.contact}.`);
    },
    "a request for a person": async () => {
      const { response } = (await call("POST", "/chat", { message: "Can I talk to a real person please?" })).body;
      expect(response).toContain(profile.contact);
      expect(response.includes("The clinic is closed now.")).toBe(profile.openingHours.length === 0);
      expect(response).not.toMatch(others);
    },
    "a question": async () => {
      await call("POST", "/chat", { message: `What helps against a cold? (${name})` });
      const asked = service.model.requests.filter(({ body }) => body.messages.at(-1)?.content.includes(`(${name})`));
      const system = asked.at(-1)?.body.messages[0]?.content ?? "";
      expect(system).toContain(`the emergency number is ${lines().emergencyNumber},`);
      expect(system).toContain(`"contact":"${profile.contact}"`);
      expect(system).not.toMatch(others);
    },
  };
  const names = Object.keys(steps);
  for (let step = 0; step < STEPS / 2; step++) {
    const chosen = pick(names);
    try {
      await steps[chosen]?.();
    } catch (error) {
      throw new Error(`seed ${SEED}, ${name}, step ${step}, ${chosen}: ${(error as Error).message}`, { cause: error });
    }
    service.model.requests.splice(0, Math.max(0, service.model.requests.length - 50));
  }
}

test(`in ${STEPS} random steps, each of two clinics is told its own numbers, language, hours and contact, and never the other's`, async () => {
  const [leeds, lyon] = ["key-of-leeds", "key-of-lyon"];
  await addClients(service, {
    leeds: { keys: [leeds], tenant: "leeds" },
    lyon: { keys: [lyon], tenant: "lyon" },
  });
  service.model.script = (request) =>
    request.messages.at(-1)?.content.startsWith("FAIL") ? { status: 500 } : echo(request);
  await Promise.all([
    live("leeds", leeds, seededRandom(SEED), /lyon-\d+-desk/),
    live("lyon", lyon, seededRandom(SEED + 1), /leeds-\d+-desk/),
  ]);
});
