// Preloaded into each Lambda environment: resolves the runtime client's native addon to the JavaScript beside this file.
import { registerHooks } from "node:module";

registerHooks({
  resolve(specifier, context, next) {
    return specifier === "./rapid-client.node"
      ? { url: new URL("./rapid-client.cjs", import.meta.url).href, format: "commonjs", shortCircuit: true }
      : next(specifier, context);
  },
});
