import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

const FOLDER = join(import.meta.dirname, "stages");

/**
 * The stages: each is a file of settings in `infra/stages/`, and a stack of its own. `infra/settings-schema.ts` says what
 * may be in a file.
 */
export const STAGES: Record<string, unknown> = Object.fromEntries(
  readdirSync(FOLDER)
    .filter((file) => file.endsWith(".json"))
    .sort()
    .map((file) => [basename(file, ".json"), JSON.parse(readFileSync(join(FOLDER, file), "utf8"))]),
);
