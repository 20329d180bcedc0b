import { synthesize } from "../../../local/synthesize.ts";

/** Runs once before the browser's tests: a template with the playground as a stage's own page, beside that at the root. */
export default async function setup(): Promise<void> {
  process.env.TEST_CLOUD_ASSEMBLY = await synthesize(".build/browser-cdk.out", { playground: "true" });
}
