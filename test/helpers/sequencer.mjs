import { relative } from "node:path";
import Sequencer from "@jest/test-sequencer";

/** About how many seconds the slowest files take. */
const SECONDS = {
  "test/storage/every-write.test.ts": 30,
  "test/storage/erasure.test.ts": 15,
  "test/storage/event-delivery.test.ts": 25,
  "test/e2e/restart.test.ts": 25,
  "test/unit/command-line.test.ts": 8,
  "test/structure/recipe.test.ts": 8,
  "test/infra/grants.test.ts": 20,
  "test/storage/quotas.test.ts": 20,
  "test/infra/settings.test.ts": 18,
  "test/api/model-failures-by-name.test.ts": 18,
  "test/e2e/demo.test.ts": 16,
  "test/model-based/model-based.test.ts": 15,
  "test/live-check/check.test.ts": 15,
  "test/e2e/expiry.test.ts": 15,
  "test/storage/idempotent-chats.test.ts": 15,
  "test/infra/findings.test.ts": 6,
  "test/long/altered-answers.test.ts": 10,
  "test/long/deployment-hook.test.ts": 30,
  "test/long/fresh-clone.test.ts": 30,
  "test/long/safety-training.test.ts": 200,
  "test/long/generated-requests.test.ts": 120,
};

/** The file that is to synthesize the stacks of all stages: the sooner, the fewer others wait for them. */
const FIRST = "test/infra/stages.test.ts";
const LONGEST_MILLISECONDS = 120_000;

/** Those that also need the stacks. Measured durations contain how long they waited. */
const LATER = /^test\/(infra\/(cost|findings|limits|replacement)|api\/cors)\.test\.ts$/;

/**
 * Jest sequencer that starts the slowest files first. Jest's own knows durations only from earlier runs; without them,
 * as in CI, it sorts files by size, and a long test in a short file runs alone at the end.
 */
export default class extends Sequencer {
  time(test) {
    const path = relative(test.context.config.rootDir, test.path).replaceAll("\\", "/");
    if (path === FIRST || LATER.test(path)) {
      return path === FIRST ? LONGEST_MILLISECONDS : (SECONDS[path] ?? 0) * 1_000;
    }
    return super.time(test) ?? (SECONDS[path] ?? 0) * 1_000;
  }
}
