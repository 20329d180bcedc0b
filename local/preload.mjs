// Preloaded into each Lambda environment: replaces the runtime client's native addon with the JavaScript in this folder.
import { registerHooks } from "node:module";

registerHooks({
  resolve(specifier, context, next) {
    return specifier === "./rapid-client.node"
      ? { url: new URL("./rapid-client.cjs", import.meta.url).href, format: "commonjs", shortCircuit: true }
      : next(specifier, context);
  },
});
