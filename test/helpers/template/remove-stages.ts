import { rmSync } from "node:fs";

/** Runs once after all tests. */
export default function teardown(): void {
  rmSync(process.env.TEST_STAGE_ASSEMBLIES ?? "", { recursive: true, force: true });
}
