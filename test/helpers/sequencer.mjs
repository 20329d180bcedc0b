import { relative } from "node:path";
import Sequencer from "@jest/test-sequencer";

/** About how many seconds the slowest files take. */
const SECONDS = {
  "test/long/every-leaf.test.ts": 18,
  "test/storage/erasure.test.ts": 17,
  "test/long/every-write.test.ts": 17,
  "test/api/chat-safety-failures.test.ts": 15,
  "test/api/stop-turn.test.ts": 14,
  "test/long/ends-anywhere.test.ts": 14,
  "test/api/fallback-model.test.ts": 14,
  "test/api/quotas.test.ts": 13,
  "test/api/bad-input.test.ts": 12,
  "test/long/grants.test.ts": 11,
  "test/unit/sources/limits.test.ts": 11,
  "test/long/recipe.test.ts": 10,
  "test/api/privacy.test.ts": 9,
  "test/api/profile.test.ts": 9,
  "test/api/sources-limits.test.ts": 9,
  "test/api/data-lifecycle.test.ts": 8,
  "test/api/openai-compatible.test.ts": 8,
  "test/unit/fhir/to-bundle.test.ts": 8,
  "test/long/without-model.test.ts": 7,
  "test/guards/initialization.test.ts": 7,
  "test/storage/quotas.test.ts": 7,
  "test/api/consent.test.ts": 6,
  "test/long/expiry.test.ts": 5,
  "packages/safety/test/long/training.test.ts": 200,
  "test/long/rehearsal.test.ts": 180,
  "test/long/openai-clients.test.ts": 90,
  "test/long/cfn-lint.test.ts": 60,
  "test/long/findings.test.ts": 30,
  "test/long/deployment-hook.test.ts": 60,
  "test/long/bedrock.test.ts": 60,
  "test/long/generated-requests.test.ts": 55,
  "test/long/fresh-clone.test.ts": 50,
  "test/long/live-check.test.ts": 35,
  "test/long/evaluate-model.test.ts": 25,
  "test/long/fhir-mutations.test.ts": 20,
  "test/long/demo.test.ts": 18,
  "test/long/restart.test.ts": 12,
  "test/long/command-line.test.ts": 12,
  "test/long/examples.test.ts": 10,
  "test/long/restore.test.ts": 10,
  "test/long/model-based.test.ts": 40,
  "packages/safety/test/long/put-aside.test.ts": 15,
  "test/long/patient-reads.test.ts": 15,
  "test/long/delivery-chaos.test.ts": 15,
};

/** Those that mostly wait: they start one after the other, so that the cores are never idle. */
const WAITING = [
  "test/long/rude-models.test.ts",
  "test/long/event-delivery.test.ts",
  "test/long/model-deadlines.test.ts",
  "test/long/model-failures-by-name.test.ts",
  "test/storage/idempotent-chats.test.ts",
  "test/api/chat-safety-verdict.test.ts",
  "test/api/webhooks.test.ts",
];

/** How many others start before the next one of them: about as many as the other two workers run meanwhile. */
const BETWEEN = 6;

/** The file that is to synthesize the stacks of all stages: the sooner, the fewer others wait for them. */
const FIRST = "test/infra/stages.test.ts";
const LONGEST_MILLISECONDS = 120_000;

/** Those that also need the stacks. Measured durations contain how long they waited. */
const LATER = /^test\/(infra\/(bedrock|limits|replacement|resources|stacks)|api\/cors)\.test\.ts$/;

/**
 * Jest sequencer that starts the slowest files first. Jest's own knows durations only from earlier runs; without them,
 * as in CI, it sorts files by size, and a long test in a short file runs alone at the end.
 */
export default class extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const waiting = WAITING.flatMap((path) => sorted.filter((test) => pathOf(test) === path));
    const others = sorted.filter((test) => !waiting.includes(test));
    for (const [index, test] of waiting.entries()) {
      others.splice(1 + index * BETWEEN, 0, test);
    }
    return others;
  }

  time(test) {
    const path = pathOf(test);
    if (path === FIRST || LATER.test(path)) {
      return path === FIRST ? LONGEST_MILLISECONDS : (SECONDS[path] ?? 0) * 1_000;
    }
    return super.time(test) ?? (SECONDS[path] ?? 0) * 1_000;
  }
}

/** A test file's path from the root, with slashes. */
const pathOf = (test) => relative(test.context.config.rootDir, test.path).replaceAll("\\", "/");
