import type { Caller } from "../../shared/caller.ts";

/** The caller for use cases and repositories that tests call in-process. */
export const CALLER: Caller = { client: "test-client", operation: "test" };
