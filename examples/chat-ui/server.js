/**
 * The server of the example. It holds the API key, and decides which conversation a browser may use: a browser has
 * nothing but a session. A real application knows who is signed in, and needs no list of patients.
 */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { serve } from "@hono/node-server";
import { buildSync } from "esbuild";
import { ApiError, HealthAssistantClient } from "health-assistant-client";
import { createChatHandler } from "health-assistant-client/ai-sdk/server";
import { Hono } from "hono";
import { secureHeaders } from "hono/secure-headers";
import { PATIENTS } from "./patients.js";

const { BASE_URL = "http://127.0.0.1:3000/v1", API_KEY = "local-dev-key", PORT = "5173" } = process.env;
const FOLDER = import.meta.dirname;

const client = new HealthAssistantClient({ baseUrl: BASE_URL, apiKey: API_KEY });

/** The version of the text in `consent.tsx`, as the service's setting `consentRequired` names it. */
const CONSENT_VERSION = "2026-03";

/** The name and ID of the patient and the conversation, by the session in the browser's cookie. */
const sessions = new Map();

const sessionOf = (request) => sessions.get(/\bsession=([\w-]+)/.exec(request.headers.get("cookie"))?.[1]);

const answerChat = createChatHandler({
  client,
  conversation: (request) =>
    sessionOf(request)?.conversation ?? Response.json({ error: "Choose a patient first." }, { status: 401 }),
});

/** Opens a thread for a patient, whom it creates if nobody has the phone number yet. */
async function startSession(patient) {
  const { id } = await client.createPatient(patient).then(
    (created) => created.patient,
    (error) => error.patient ?? Promise.reject(error),
  );
  const thread = await client.createThread({ patientId: id, metadata: { source: "chat-ui" }, include: ["disclosure"] });
  const session = randomUUID();
  const conversation = { threadId: thread.threadId, disclosure: thread.disclosure };
  sessions.set(session, { patient: patient.name, patientId: id, conversation });
  return session;
}

const app = new Hono();
// An answer must not make the browser ask anyone else for anything.
const contentSecurityPolicy = {
  defaultSrc: ["'self'"],
  imgSrc: ["data:"],
};
app.use(secureHeaders({ contentSecurityPolicy }));
app.onError((error, context) => {
  process.stderr.write(`${error instanceof ApiError ? error.message : error.name}\n`); // never what the user said
  const isUnreachable = error instanceof ApiError && error.status === 0;
  return context.json({ error: isUnreachable ? "Start the service first: npm start" : "Please try again later." }, 502);
});
app.on(["GET", "POST"], "/api/chat", (context) => answerChat(context.req.raw));
app.post("/api/consent", async (context) => {
  const session = sessionOf(context.req.raw);
  if (!session) {
    return context.json({ error: "Choose a patient first." }, 401);
  }
  const consent = { given: true, at: new Date().toISOString(), version: CONSENT_VERSION };
  await client.updatePatient(session.patientId, { consent });
  return context.body(null, 204);
});
app.post("/api/feedback", async (context) => {
  const session = sessionOf(context.req.raw);
  const { messageId, rating } = await context.req.json();
  if (!session) {
    return context.json({ error: "Choose a patient first." }, 401);
  }
  const { threadId } = session.conversation;
  await (rating === undefined
    ? client.withdrawFeedback(threadId, messageId)
    : client.giveFeedback(threadId, messageId, { rating }));
  return context.body(null, 204);
});
app.get("/api/session", (context) =>
  context.json({ patients: PATIENTS.map(({ name }) => name), patient: sessionOf(context.req.raw)?.patient }),
);
app.post("/api/session", async (context) => {
  const chosen = await context.req.json();
  const patient = PATIENTS.find(({ name }) => name === chosen.patient);
  if (!patient) {
    return context.json({ error: "There is no such patient." }, 400);
  }
  const session = await startSession(patient);
  return context.body(null, 204, { "set-cookie": `session=${session}; Path=/; HttpOnly; SameSite=Strict` });
});

/** The page's script and styles, bundled in memory. */
const { outputFiles } = buildSync({
  absWorkingDir: FOLDER,
  entryPoints: ["main.tsx", "style.css"],
  outdir: FOLDER,
  bundle: true,
  minify: true,
  write: false,
  format: "esm",
  jsx: "automatic",
  define: { "process.env.NODE_ENV": '"production"' },
});
const [script, styles] = outputFiles.map(({ contents }) => contents);
app.get("/main.js", (context) => context.body(script, 200, { "content-type": "text/javascript" }));
app.get("/style.css", (context) => context.body(styles, 200, { "content-type": "text/css" }));
app.get("/", (context) => context.html(readFileSync(join(FOLDER, "index.html"), "utf8")));

serve({ fetch: app.fetch, hostname: "127.0.0.1", port: Number(PORT) }, ({ port }) => {
  process.stdout.write(`http://127.0.0.1:${port}\n`);
});
