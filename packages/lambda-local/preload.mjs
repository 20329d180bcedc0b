// Preloaded into each Lambda environment: replaces the runtime client's native addon with the JavaScript in this
// folder, and lets the runtime client import a function by a path of Windows, which Node takes for a URL of the scheme
// "c:".
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === "./rapid-client.node") {
      return { url: new URL("./rapid-client.cjs", import.meta.url).href, format: "commonjs", shortCircuit: true };
    }
    const path = /^[a-z]:\\/i.test(specifier);
    return next(path ? pathToFileURL(specifier, { windows: true }).href : specifier, context);
  },
});
