import vm from "node:vm";
import { TestEnvironment } from "jest-environment-node";

const { createContext } = vm;

/** Jest's own environment, plus the service that all files of a worker share, which must outlive the files' modules. */
export default class extends TestEnvironment {
  constructor(config, context) {
    // An ordinary global object. Jest's is behind a proxy: each use of a global, such as `Math`, would call JavaScript,
    // and the tests would take twice as much CPU time.
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
    super(config, context);
    vm.createContext = createContext;
  }

  async setup() {
    await super.setup();
    this.global.borrowBackend = async () => (await import("./service/backend.ts")).borrowBackend();
  }
}
