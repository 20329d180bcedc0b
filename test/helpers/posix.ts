import { describe, test } from "@jest/globals";

const POSIX = process.platform !== "win32";

/** Like `describe` and `test`, for what needs a shell, signals or `ps`: skipped on Windows, which has none of them. */
export const describeOnPosix = POSIX ? describe : describe.skip;
export const testOnPosix = POSIX ? test : test.skip;
