import { config } from "zod";

/** The AI SDK's zod would try out whether it may compile code, which the page's content policy forbids. */
config({ jitless: true });
