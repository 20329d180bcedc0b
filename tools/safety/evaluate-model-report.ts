import { readFileSync } from "node:fs";
import { join } from "node:path";
import { alertOf } from "../../packages/safety/alerts.ts";
import { type Judged, tableOf } from "../../packages/safety/training/figures.ts";
import { CORPUS, type Labeled, type Source } from "../../packages/safety/training/labeled.ts";
import type { ChatResponse } from "../../shared/chat/chat-response.ts";
import { ofKind, textOf } from "../../shared/threads/answer-parts.ts";
import type { BenchmarkCase } from "./evaluate-model-benchmarks.ts";
import { type Asked, faultsOf, GRADER_NAMES } from "./evaluate-model-graders.ts";
import type { Provider } from "./evaluate-model-recording.ts";

interface Scenario {
  name: string;
  patientData?: object;
  turns: { user: string; level: Labeled["level"]; says?: string[]; neverSays?: string[] }[];
}

/** A response with everything that is graded. */
type Reply = Pick<ChatResponse, "response" | "safety" | "parts">;

/** The only key of the service that is evaluated. */
export const API_KEY = "key-of-the-evaluation";

/** Plays messages and conversations against the service, and writes a report. */
export class Evaluation {
  report = "";
  private graded = 0;
  private readonly faults = new Map<string, number>(GRADER_NAMES.map((name) => [name, 0]));
  private readonly baseUrl: string;
  private readonly provider: Provider | undefined;

  constructor(baseUrl: string, provider: Provider | undefined) {
    this.baseUrl = baseUrl;
    this.provider = provider;
  }

  print(text: string): void {
    this.report += text;
    process.stdout.write(text);
  }

  /** Sends a message on no thread. @returns what was found in it */
  async find(message: string): Promise<Judged["finding"]> {
    return findingIn(await this.chat({ message }));
  }

  /** Evaluates a source by a sample of evenly spaced messages, so that all its categories are represented. */
  async playSource({ name, messages: all }: Source, sample: number): Promise<void> {
    const messages = sampleOf(all, sample);
    const judged: Judged[] = [];
    const faults: string[] = [];
    for (const message of messages) {
      const reply = await this.chat({ message: message.text });
      judged.push({ message, finding: findingIn(reply), rows: [name, message.category] });
      const asked = { message: message.text, earlier: [], patientData: undefined };
      faults.push(...this.grade(reply, asked).map((fault) => `  ${message.category}: ${fault}\n`));
    }
    this.print(`\n${tableOf(judged)}${faults.join("")}`);
  }

  /**
   * Plays conversations of benchmarks, a sample of each category (0 for all). One counts by the most certain of its
   * findings.
   */
  async playBenchmarks(cases: readonly BenchmarkCase[], sample: number): Promise<void> {
    const judged: Judged[] = [];
    const faults: string[] = [];
    for (const [row, all] of Map.groupBy(cases, ({ benchmark, category }) => `${benchmark} ${category}`)) {
      for (const { level, category, messages } of sampleOf(all, sample || all.length)) {
        const { threadId } = await this.post("/threads", {});
        const findings: Judged["finding"][] = [];
        const earlier: string[] = [];
        for (const message of messages) {
          const reply = await this.chat({ message, threadId });
          findings.push(findingIn(reply));
          const asked = { message, earlier: [...earlier], patientData: undefined };
          faults.push(...this.grade(reply, asked).map((fault) => `  ${row}: ${fault}\n`));
          earlier.push(message);
        }
        const finding = CERTAINTIES.map((certainty) => findings.find((found) => found?.certainty === certainty)).find(
          Boolean,
        );
        judged.push({ message: { text: messages.join("\n"), level, category }, finding, rows: [row] });
      }
    }
    if (judged.length > 0) {
      this.print(`\n${tableOf(judged, "conversations")}${faults.join("")}`);
    }
  }

  async playScenarios(): Promise<void> {
    const scenarios: Scenario[] = JSON.parse(readFileSync(join(CORPUS, "scenarios.json"), "utf8"));
    for (const { name, patientData, turns } of scenarios) {
      const { threadId, disclosure } = await this.post("/threads", { include: ["disclosure"] });
      this.print(`\n${name}\n${disclosure ? "" : "  the thread does not say that an AI answers\n"}`);
      const earlier: string[] = [];
      for (const [index, { user, level, says = [], neverSays = [] }] of turns.entries()) {
        const reply = await this.chat({ message: user, threadId, patientData });
        const text = reply.response;
        const faults = [
          ...(levelOf(reply) === level ? [] : [`is not answered as ${level}`]),
          ...says.filter((said) => !new RegExp(said, "i").test(text)).map((said) => `does not say ${said}`),
          ...neverSays.filter((said) => text.toLowerCase().includes(said)).map((said) => `says ${said}`),
          ...this.grade(reply, { message: user, earlier: [...earlier], patientData }),
        ];
        earlier.push(user);
        this.print(`  turn ${index + 1}: ${faults.length === 0 ? "ok" : faults.join("; ")}\n`);
      }
    }
  }

  printGrades(): void {
    const counts = [...this.faults].map(([name, count]) => `  ${name}: ${count}\n`).join("");
    this.print(`\nFaults in the model's words of ${this.graded} answers\n${counts}`);
  }

  private grade({ parts = [] }: Reply, asked: Asked): string[] {
    const words = textOf(ofKind("words", parts));
    this.graded += words === "" ? 0 : 1;
    const faults = faultsOf(words, asked);
    for (const name of faults.keys()) {
      this.faults.set(name, (this.faults.get(name) ?? 0) + 1);
    }
    return [...faults.values()];
  }

  private chat(body: object): Promise<Reply> {
    return this.post("/chat", { ...body, include: ["parts", "evidence"] }) as Promise<Reply>;
  }

  /** @throws Error if the service fails, or the recording lacks a response */
  private async post(path: string, body: object): Promise<Partial<ChatResponse> & { disclosure?: string }> {
    const response = await fetch(`${this.baseUrl}${path}`, {
      method: "POST",
      headers: { "x-api-key": API_KEY, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    this.provider?.check();
    return { response: "", ...((await response.json()) as object) };
  }
}

/** The most certain first. */
const CERTAINTIES = ["certain", "likely", "suspected"] as const;

/** Evenly spaced, so that all kinds are represented in what is sorted by kind. */
export function sampleOf<T>(all: readonly T[], sample: number): T[] {
  return all.filter((_, index) => index % Math.ceil(all.length / sample) === 0);
}

/** The level of the alert in a reply. */
function levelOf({ safety }: Reply): Labeled["level"] {
  return safety?.certainty === "certain" ? safety.level : "none";
}

function findingIn({ safety }: Reply): Judged["finding"] {
  if (!safety?.certainty || safety.level === "none") {
    return undefined;
  }
  const category = safety.category ?? (safety.level === "crisis" ? "suicidal-thoughts" : "other");
  return { alert: alertOf(category), certainty: safety.certainty, categoryCertain: safety.category !== null };
}
