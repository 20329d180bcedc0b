import { TestEnvironment } from "jest-environment-node";

/** Jest's own environment, plus the service that all files of a worker share, which must outlive the files' modules. */
export default class extends TestEnvironment {
  async setup() {
    await super.setup();
    this.global.borrowBackend = async () => (await import("./service/backend.ts")).borrowBackend();
  }
}
