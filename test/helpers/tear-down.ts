import { rmSync } from "node:fs";
import { stopSharedBackend } from "./service/backend.ts";

/** Runs once after all tests. Without workers, as for a single file, the shared service is this process's. */
export default async function teardown(): Promise<void> {
  await stopSharedBackend();
  rmSync(process.env.TEST_STAGE_ASSEMBLIES ?? "", { recursive: true, force: true });
}
