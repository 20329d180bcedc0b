/**
 * Bundles the functions again and puts the result where a synthesized template has it: much faster than another
 * synthesis. Run inside the copy of the project, with the folder of the cloud assembly.
 */
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundleFunctions } from "../../infra/bundling/bundle.ts";
import { BUNDLES } from "../../infra/bundling/folder.ts";

const assembly = process.argv[2] ?? "";
const MAP = join(assembly, "functions-of-assets.json");

if (!existsSync(MAP)) {
  // The bundles are still those of the synthesis, so equal files belong together.
  const map = readdirSync(assembly)
    .filter((folder) => existsSync(join(assembly, folder, "index.mjs")))
    .map((folder) => {
      const asset = readFileSync(join(assembly, folder, "index.mjs"));
      const name = readdirSync(BUNDLES).find((one) => asset.equals(readFileSync(join(BUNDLES, one, "index.mjs"))));
      return [folder, name];
    });
  writeFileSync(MAP, JSON.stringify(map));
}
await bundleFunctions("");
for (const [folder, name] of JSON.parse(readFileSync(MAP, "utf8"))) {
  cpSync(join(BUNDLES, name), join(assembly, folder), { recursive: true });
}
