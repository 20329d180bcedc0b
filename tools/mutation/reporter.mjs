/**
 * Jest reporter that tells the parent process on standard output which file begins, which one has ended, and the first
 * test that fails, after which it ends the process at once unless KEEP_GOING is set.
 */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { relative } from "node:path";

export default class Reporter {
  constructor({ rootDir }) {
    this.rootDir = rootDir;
  }

  onTestFileStart({ path }) {
    rmSync(process.env.PROBE_LOG, { force: true });
    this.say({ begins: relative(this.rootDir, path) });
  }

  onTestCaseResult(_, { status, fullName, failureMessages }) {
    if (status === "failed") {
      this.fail(fullName, failureMessages[0]);
    }
  }

  onTestFileResult({ path }, { testExecError, numFailingTests, perfStats }) {
    if (testExecError) {
      this.fail("(cannot be run)", testExecError.stack ?? testExecError.message);
    }
    const log = process.env.PROBE_LOG;
    this.say({
      ended: relative(this.rootDir, path),
      passed: !testExecError && numFailingTests === 0,
      seconds: (perfStats.end - perfStats.start) / 1000,
      reached: existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [],
      jest: process.pid,
    });
  }

  fail(test, message = "") {
    this.say({ failed: test, message: message.slice(0, 2_000) });
    if (!process.env.KEEP_GOING) {
      process.exit(1);
    }
  }

  say(event) {
    process.stdout.write(`\n@test ${JSON.stringify(event)}\n`); // other lines are those of the code under test
  }
}
