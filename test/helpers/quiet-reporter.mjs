import { DefaultReporter } from "@jest/reporters";

/**
 * Jest reporter of `npm test`: like Jest's own, but files that pass print nothing, neither a line nor what the code
 * under test logged. What is on the screen at the end is a failure, or the counts.
 */
export default class extends DefaultReporter {
  onTestResult(test, result, all) {
    if (result.numFailingTests > 0 || result.testExecError) {
      super.onTestResult(test, result, all);
    } else {
      this.testFinished(test.context.config, result, all);
      this.forceFlushBufferedOutput();
    }
  }
}
