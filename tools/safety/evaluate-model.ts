import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cachedAssembly } from "../../local/cached-assembly.ts";
import { modelOf, startService } from "../../local/service.ts";
import { type LocalSettings, readSettings } from "../../local/settings.ts";
import { readTemplate } from "../../packages/lambda-local/template.ts";
import { readSource, trainingSources } from "../../packages/safety/training/labeled.ts";
import { INSTRUCTIONS_VERSION } from "../../shared/chat/instructions.ts";
import { readArguments, usageError } from "../../shared/command-line.ts";
import { modelVariables } from "../../shared/model/model-features.ts";
import { benchmarkCases } from "./evaluate-model-benchmarks.ts";
import { compare } from "./evaluate-model-comparison.ts";
import { type RecordingHeader, readRecording, startRecording, startReplay } from "./evaluate-model-recording.ts";
import { API_KEY, Evaluation } from "./evaluate-model-report.ts";
import { playWireForms, startWireServer } from "./evaluate-wire-forms.ts";
import { WIRE_FORMS } from "./wire-forms.ts";

/**
 * `npm run eval:model`: sends labeled messages and multi-turn conversations through the whole service with a real model
 * (OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_MODEL), and grades the replies: whether they have the right level, and
 * whether they say what they must and nothing that they must not. Does nothing without a key or a base URL. A recording
 * of the model's responses is graded again without a model.
 */

const USAGE = `Sends labeled messages and conversations through the whole service with a real model, and grades the replies.

  npm run eval:model -- [--sample NUMBER] [--record FILE] [--healthbench FILE]
                        [--vera-mh DIRECTORY --personas FILE] [LABELED…]
  npm run eval:model -- --compare [--sample NUMBER] [--prices INPUT,OUTPUT] [--record FILE]
  npm run eval:model -- --replay FILE
  npm run eval:model -- --wire-forms

  --sample       messages per source and conversations per category (default: 20); 0 for no messages, and all conversations
  --record       also stores the model's responses in this file
  --compare      compares the screen alone, the model alone and both, on the sets that are put aside, and what they cost
  --prices       dollars for a million tokens of the model
  --replay       takes the responses from this file: no model, no key and no network
  --wire-forms   plays recorded responses of models' servers through the service instead: no model, no key and no network
  --healthbench  also plays the emergency referrals of your copy of HealthBench
  --vera-mh      also plays the transcripts of your copy of VERA-MH in this directory
  --personas     the table of their personas
  LABELED        additional files of labeled messages

Requires OPENAI_API_KEY or OPENAI_BASE_URL, and OPENAI_MODEL for a model other than the default; a replay requires none of
them. Exit code: 0 after an evaluation, whatever the grades, 1 if it fails or a request is not in the recording, 2 for an
invalid command line.
`;

/** OpenAI's address, which the service knows without a setting. */
const OPENAI = "https://api.openai.com/v1";

const { values, positionals } = readArguments(USAGE, {
  options: {
    sample: { type: "string", default: "20" },
    record: { type: "string" },
    compare: { type: "boolean", default: false },
    prices: { type: "string" },
    replay: { type: "string" },
    "wire-forms": { type: "boolean", default: false },
    healthbench: { type: "string" },
    "vera-mh": { type: "string" },
    personas: { type: "string" },
  },
  allowPositionals: true,
});
if (!/^\d+$/.test(values.sample) || (values.record && values.replay)) {
  usageError(USAGE, "--sample must be a whole number, and --record and --replay exclude each other.");
}
const [input = Number.NaN, output = Number.NaN] = (values.prices ?? "").split(",").map(Number);
if (values.prices !== undefined && !(input >= 0 && output >= 0)) {
  usageError(USAGE, "--prices must be two numbers, such as 0.10,0.50.");
}
if ((values["vera-mh"] === undefined) !== (values.personas === undefined)) {
  usageError(USAGE, "--vera-mh and --personas need each other.");
}
if (values["wire-forms"]) {
  await evaluateWireForms();
} else if (!values.replay && !process.env.OPENAI_API_KEY && !process.env.OPENAI_BASE_URL) {
  process.stdout.write("Skipped: set OPENAI_API_KEY or OPENAI_BASE_URL to evaluate a model.\n");
} else {
  try {
    await evaluate();
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}

async function evaluate(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), "health-assistant-"));
  const assembly = await cachedAssembly();
  const recording = values.replay === undefined ? undefined : readRecording(values.replay);
  const settings = readSettings({ ...process.env, PORT: "0", API_KEY, DATA_DIR: dataDir });
  const header = recording?.header ?? newHeader(settings, assembly);
  const provider = recording
    ? await startReplay(recording.exchanges)
    : values.record === undefined
      ? undefined
      : await startRecording(settings.model?.baseUrl ?? OPENAI, values.record, header);
  const model = { name: header.model, baseUrl: settings.model?.baseUrl, key: settings.model?.key ?? "no-key-needed" };
  const service = await startService(
    {
      ...settings,
      model: { ...model, ...(provider && { baseUrl: provider.baseUrl }) },
      variables: { ...settings.variables, ...header.features },
      fallbackModel: provider ? undefined : settings.fallbackModel,
    },
    assembly,
    { onRequest: () => {}, onLog: () => {} },
  );
  try {
    const evaluation = new Evaluation(service.baseUrl, provider);
    if (provider) {
      const { recordedAt, versions } = header;
      evaluation.print(
        `Recorded ${recordedAt}: model ${header.model}, instructions ${versions.instructions}, service ${versions.service}, openai ${versions.openai}.\n`,
      );
    }
    if (header.compare) {
      const prices = values.prices === undefined ? undefined : { input, output };
      evaluation.print(`\n${await compare(service, (message) => evaluation.find(message), header.sample, prices)}`);
      provider?.finish(evaluation.report);
      return;
    }
    const sources = header.sample === 0 ? [] : [...trainingSources(), ...header.files.map(readSource)];
    for (const source of sources) {
      await evaluation.playSource(source, header.sample);
    }
    await evaluation.playBenchmarks(benchmarkCases(header.benchmarks ?? {}), header.sample);
    await evaluation.playScenarios();
    evaluation.printGrades();
    provider?.finish(evaluation.report);
    if (recording?.report !== undefined && recording.report !== evaluation.report) {
      process.stderr.write(
        "The grades differ from those of the recording: graders, screen or texts have changed since.\n",
      );
    }
  } finally {
    await service.stop();
    provider?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function evaluateWireForms(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), "health-assistant-"));
  const server = await startWireServer();
  const model = { name: "wire-forms", baseUrl: `${server.origin}/v1`, key: "no-key-needed" };
  const settings = readSettings({ PORT: "0", API_KEY, DATA_DIR: dataDir, OPENAI_BASE_URL: model.baseUrl });
  const service = await startService({ ...settings, model }, await cachedAssembly(), {
    onRequest: () => {},
    onLog: () => {},
  });
  try {
    const faults = await playWireForms(service.baseUrl, server.use);
    process.stdout.write(
      [
        `${WIRE_FORMS.length} forms, each as JSON and as a stream: ${faults.length} not as they should be.`,
        ...faults,
        "",
      ].join("\n"),
    );
    process.exitCode = faults.length > 0 ? 1 : 0;
  } finally {
    await service.stop();
    server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function newHeader({ model, variables }: LocalSettings, assembly: string): RecordingHeader {
  const name = model?.name ?? modelOf(readTemplate(assembly));
  const known = modelVariables("OPENAI", name, model?.baseUrl ?? "");
  const { OPENAI_REASONING_EFFORT = "", OPENAI_PROMPT_CACHE = "off" } = { ...known, ...variables };
  const { version, dependencies } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"));
  return {
    recordedAt: new Date().toISOString(),
    model: name,
    features: { OPENAI_REASONING_EFFORT, OPENAI_PROMPT_CACHE },
    versions: { service: version, instructions: INSTRUCTIONS_VERSION, openai: dependencies.openai },
    sample: Number(values.sample),
    ...(values.compare && { compare: true }),
    files: positionals,
    benchmarks: {
      healthbench: values.healthbench,
      veraMh:
        values["vera-mh"] && values.personas
          ? { transcripts: values["vera-mh"], personas: values.personas }
          : undefined,
    },
  };
}
