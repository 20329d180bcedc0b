// Generated from the OpenAPI document by "npm run client:types"; do not edit.

export const VERSION = "1.0.0";
