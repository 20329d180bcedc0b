const LOADER = `
  import { registerHooks } from "node:module";
  const source = 'export const cachedAssembly = async () => process.env.TEST_CLOUD_ASSEMBLY; export const keepAssembly = () => {};';
  registerHooks({
    load: (url, context, next) =>
      url.endsWith("/local/cached-assembly.ts") ? { format: "module", source, shortCircuit: true } : next(url, context),
  });
`;

/**
 * Makes `local/start.ts` and the demo serve the template of this test run instead of synthesizing one, which takes
 * seconds.
 *
 * @param setUp code to run first in the process
 * @returns the value for Node's `--import`
 */
export const withTestAssembly = (setUp = "") => `data:text/javascript,${encodeURIComponent(LOADER + setUp)}`;
