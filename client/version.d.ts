// Generated from the OpenAPI document by "npm run client:types"; do not edit.

export declare const VERSION = "0.1.0";
