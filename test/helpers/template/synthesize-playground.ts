import { synthesize } from "./cdk-synth.ts";

/** Runs once before the browser tests: synthesizes a template that also serves the playground from the stage. */
export default async function setup(): Promise<void> {
  process.env.TEST_CLOUD_ASSEMBLY = await synthesize(".build/browser-cdk.out", { playground: "true" });
}
