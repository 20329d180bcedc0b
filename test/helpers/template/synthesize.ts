import { synthesize } from "../../../local/synthesize.ts";

/** Runs once before all tests: they share one synthesized template, the one that `npm start` would serve. */
export default async function setup(): Promise<void> {
  process.env.TEST_CLOUD_ASSEMBLY = await synthesize(".build/test-cdk.out");
}
