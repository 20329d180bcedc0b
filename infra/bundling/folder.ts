import { join } from "node:path";

/** The directory of the functions' bundles, each in a subdirectory: `<name>/index.mjs`. */
export const BUNDLES = process.env.BUNDLES_FOLDER ?? join(import.meta.dirname, "..", "..", ".build", "functions");
