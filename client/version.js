// Made from the OpenAPI document by "npm run client:types"; not to be changed by hand.

export const VERSION = "0.1.0";
