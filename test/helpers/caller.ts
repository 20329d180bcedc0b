import type { Caller } from "../../shared/caller.ts";

/** The caller of use cases and repositories that tests call in their own process. */
export const CALLER: Caller = { client: "test-client", operation: "test" };
