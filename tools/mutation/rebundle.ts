/**
 * Bundles the functions again and copies the result into a cloud assembly, which is much faster than another synthesis.
 * Runs inside the copy of the project. Argument: the folder of the cloud assembly.
 */
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BUNDLES, bundle } from "../../infra/bundling/bundle.ts";
import { copySafetyData } from "../../infra/bundling/safety-data.ts";

const assembly = process.argv[2] ?? "";
const MAP = join(assembly, "functions-of-assets.json");

if (!existsSync(MAP)) {
  // The bundles are still those of the synthesis: an asset is the function whose bundle is equal.
  const map = readdirSync(assembly)
    .filter((folder) => existsSync(join(assembly, folder, "index.mjs")))
    .map((folder) => {
      const asset = readFileSync(join(assembly, folder, "index.mjs"));
      const name = readdirSync(BUNDLES).find((one) => asset.equals(readFileSync(join(BUNDLES, one, "index.mjs"))));
      return [folder, name];
    });
  writeFileSync(MAP, JSON.stringify(map));
}
copySafetyData(await bundle(), "");
for (const [folder, name] of JSON.parse(readFileSync(MAP, "utf8"))) {
  cpSync(join(BUNDLES, name), join(assembly, folder), { recursive: true });
}
