import { stripTypeScriptTypes } from "node:module";

/** Jest's transformer: the same type stripping that Node does when it runs the project's files itself. */
export default {
  process(source) {
    return { code: stripTypeScriptTypes(source) };
  },
};
