import { synthesize } from "../../../local/synthesize.ts";

/** Runs once before all tests, which share one synthesized template, the same that `npm start` serves. */
export default async function setup(): Promise<void> {
  process.env.TEST_CLOUD_ASSEMBLY = await synthesize(".build/test-cdk.out");
}
