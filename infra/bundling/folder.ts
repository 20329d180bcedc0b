import { join } from "node:path";

/** Where each function's bundle lies, in a folder of its own: `<name>/index.mjs`. */
export const BUNDLES = process.env.BUNDLES_FOLDER ?? join(import.meta.dirname, "..", "..", ".build", "functions");
