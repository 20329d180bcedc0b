import { fromEnv } from "@aws-sdk/credential-provider-env";

/**
 * In the bundles, takes the place of what `@aws-sdk/credential-provider-node` exports. Lambda passes the role's
 * credentials in environment variables (AWS, "Defined runtime environment variables").
 */
export const defaultProvider = fromEnv;
