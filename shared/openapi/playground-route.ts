import type { Route } from "./routes.ts";

/**
 * A page to try the service by hand. It stands apart from the other routes, since it is no part of the interface: it is
 * deployed to the stage dev alone, and only when asked for (`infra/settings.ts`).
 */
export const playground = {
  name: "playground",
  method: "GET",
  path: "/playground",
  status: 200,
  errorShape: "generic",
  failure: "Failed to show the playground",
  public: true,
  page: true,
} as const satisfies Route;
