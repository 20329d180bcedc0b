import vm from "node:vm";
import { TestEnvironment } from "jest-environment-node";

const { createContext, compileFunction, SourceTextModule } = vm;

/** V8's code cache of each file: Jest compiles what a test file imports, and itself, anew for every test file. */
const codeCache = new Map();

vm.compileFunction = (source, parameters, options) => {
  const cached = codeCache.get(source);
  const compiled = compileFunction(source, parameters, { ...options, cachedData: cached, produceCachedData: !cached });
  if (!cached) {
    codeCache.set(source, compiled.cachedData);
  }
  return compiled;
};

vm.SourceTextModule = class extends SourceTextModule {
  constructor(source, options) {
    const cachedData = codeCache.get(source);
    super(source, { ...options, cachedData });
    if (!cachedData) {
      codeCache.set(source, this.createCachedData());
    }
  }
};

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
    this.global.loadBackend = () => import("./service/backend.ts");
  }
}
