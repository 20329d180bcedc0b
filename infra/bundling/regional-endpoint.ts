interface EndpointParameters {
  Region?: string;
  /** Set by `AWS_ENDPOINT_URL_…`. */
  Endpoint?: string;
  UseFIPS?: boolean;
  UseDualStack?: boolean;
}

/**
 * Finds the endpoint of an AWS service. In the bundles, it replaces the rules and tables of each client, which also know
 * FIPS, dual stack, account IDs and isolated partitions: 16 KB that are evaluated with the first call.
 *
 * @param service its name in host names
 * @throws Error for an endpoint that only those rules find
 */
export function regionalEndpoint(service: string) {
  return ({ Region = "", Endpoint, UseFIPS, UseDualStack }: EndpointParameters) => {
    if (UseFIPS || UseDualStack || Region.includes("-iso")) {
      throw new Error(
        "FIPS, dual-stack and isolated endpoints are left out of this bundle (infra/bundling/bundle.ts).",
      );
    }
    const domain = Region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
    return { url: new URL(Endpoint ?? `https://${service}.${Region}.${domain}`) };
  };
}
