import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

const FOLDER = join(import.meta.dirname, "stages");

/**
 * The stages. Each is a file of settings in `infra/stages/`, and has stacks of its own. `infra/settings-schema.ts`
 * defines what a file may contain.
 */
export const STAGES: Record<string, unknown> = Object.fromEntries(
  readdirSync(FOLDER)
    .filter((file) => file.endsWith(".json"))
    .sort()
    .map((file) => [basename(file, ".json"), JSON.parse(readFileSync(join(FOLDER, file), "utf8"))]),
);
