import { stripTypeScriptTypes } from "node:module";

/** Jest transformer that strips types the same way as Node does when it runs TypeScript. */
export default {
  process(source) {
    return { code: stripTypeScriptTypes(source) };
  },
};
