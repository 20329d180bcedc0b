import { CfnOutput } from "aws-cdk-lib";
import { DomainName, EndpointAccessMode, EndpointType, type RestApi, SecurityPolicy } from "aws-cdk-lib/aws-apigateway";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import { CfnRecordSet } from "aws-cdk-lib/aws-route53";
import { Construct } from "constructs";
import type { Domain } from "./settings.ts";

/** The API under a custom domain name. */
export class CustomDomain extends Construct {
  /** Such as `https://api.example.org/v1`. */
  readonly baseUrl: string;

  constructor(
    scope: Construct,
    id: string,
    restApi: RestApi,
    { name, certificateArn, basePath, hostedZoneId }: Domain,
  ) {
    super(scope, id);
    this.baseUrl = `https://${name}/${basePath}`;
    const domainName = new DomainName(this, "DomainName", {
      domainName: name,
      certificate: Certificate.fromCertificateArn(this, "Certificate", certificateArn),
      endpointType: EndpointType.REGIONAL,
      securityPolicy: SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09,
      endpointAccessMode: EndpointAccessMode.STRICT,
    });
    domainName.addApiMapping(restApi.deploymentStage, { basePath });
    if (hostedZoneId) {
      new CfnRecordSet(this, "Record", {
        hostedZoneId,
        name,
        type: "A",
        aliasTarget: {
          dnsName: domainName.domainNameAliasDomainName,
          hostedZoneId: domainName.domainNameAliasHostedZoneId,
        },
      });
    } else {
      new CfnOutput(this, "Target", {
        value: domainName.domainNameAliasDomainName,
        description: `Target for the DNS record of ${name}`,
      });
    }
  }
}
