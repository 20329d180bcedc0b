import { Stack } from "aws-cdk-lib";
import type { Stage } from "aws-cdk-lib/aws-apigateway";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { CfnLoggingConfiguration, CfnWebACL, CfnWebACLAssociation } from "aws-cdk-lib/aws-wafv2";
import { Construct } from "constructs";
import { ERROR_CODE } from "../shared/errors.ts";
import { shapedError } from "../shared/http/error-shape.ts";
import { arnOf } from "./arn-of.ts";
import { corsResponseHeaders } from "./cors.ts";
import { ServiceLogGroup } from "./service-log-group.ts";
import type { Settings } from "./settings.ts";

/** The `error` of the firewall's 429s. */
const TOO_MANY = "Too many requests";

/** The code of each rule that responds with a 429. */
const TOO_MANY_CODES = {
  RequestsPerAddress: "too-many-requests-from-address",
  AllRequests: "too-many-requests-in-all",
};

interface FirewallProps {
  stage: Stage;
  key: IKey;
  settings: Settings;
}

/**
 * AWS managed rule groups in the order of evaluation, each with the rules that only count matches ("AWS Managed Rules
 * rule groups list"). A counted request appears in metrics and in the log, and is not blocked. These are:
 *
 * - Every rule that inspects a body. A body contains what a patient or a clinic says, up to 256 KB of it: "<5 mg",
 *   "select … from …", "../" or a link in a note are medicine and speech, not attacks. The common rule set would block
 *   any body over 8 KB. The service has nothing that these rules protect (SQL, HTML pages, file names and addresses
 *   taken from a request, Java, React): a body is parsed against a schema and stored by key.
 * - The rule that requires a User-Agent. Callers are programs, and many HTTP libraries send none.
 *
 * The group against SQL injection is not used: there is no SQL, so all it could do is reject a search that resembles
 * it.
 */
const MANAGED_GROUPS: Record<string, string[]> = {
  AWSManagedRulesAmazonIpReputationList: [],
  AWSManagedRulesCommonRuleSet: [
    "NoUserAgent_HEADER",
    "SizeRestrictions_BODY",
    "EC2MetaDataSSRF_BODY",
    "GenericLFI_BODY",
    "GenericRFI_BODY",
    "CrossSiteScripting_BODY",
  ],
  AWSManagedRulesKnownBadInputsRuleSet: ["JavaDeserializationRCE_BODY", "Log4JRCE_BODY", "ReactJSRCE_BODY"],
};

/**
 * AWS WAF, which inspects requests before API Gateway does. It responds with a 429 to requests over a rate limit, and
 * with a 403 to all others that it blocks, in the service's error format. The 429 is defined here, since only custom
 * rules can have custom responses; the 403 is the gateway response `WAF_FILTERED`.
 */
export class Firewall extends Construct {
  readonly webAcl: CfnWebACL;

  constructor(scope: Construct, id: string, { stage, key, settings }: FirewallProps) {
    super(scope, id);
    const { stackName } = Stack.of(this);
    this.webAcl = new CfnWebACL(this, "WebAcl", {
      name: stackName,
      scope: "REGIONAL",
      defaultAction: { allow: {} },
      visibilityConfig: visibility(stackName),
      customResponseBodies: {
        tooManyRequests: {
          contentType: "APPLICATION_JSON",
          content: JSON.stringify(shapedError("generic", { error: TOO_MANY }, "too-many-requests")),
        },
      },
      // A matched rule reports the matched text, which in a body is what somebody said. Without this substitution,
      // sampled requests and logs would contain it, and keys.
      dataProtectionConfig: {
        dataProtections: [
          substituted("BODY"),
          substituted("QUERY_STRING"),
          substituted("SINGLE_HEADER", ["x-api-key", "authorization", "cookie"]),
        ],
      },
      rules: [
        {
          name: "RequestsPerAddress",
          priority: 0,
          statement: {
            rateBasedStatement: {
              aggregateKeyType: "IP",
              limit: settings.requestsPerAddress,
              evaluationWindowSec: 300,
            },
          },
          action: tooManyRequests("RequestsPerAddress", settings),
          visibilityConfig: visibility("RequestsPerAddress"),
        },
        ...Object.entries(MANAGED_GROUPS).map(([name, counted], index) => managedGroup(name, counted, index + 1)),
        ...(settings.requestsInFiveMinutes > 0 ? [overallCeiling(settings)] : []),
      ],
    });
    const association = new CfnWebACLAssociation(this, "OfStage", {
      resourceArn: stage.stageArn,
      webAclArn: this.webAcl.attrArn,
    });
    association.node.addDependency(stage);
    this.addLog(key, settings);
  }

  /** Logs only requests that were blocked or counted. */
  private addLog(key: IKey, settings: Settings): void {
    const logGroupName = `aws-waf-logs-${Stack.of(this).stackName}`; // AWS WAF requires this prefix
    const logGroup = new ServiceLogGroup(this, "Log", {
      key,
      settings,
      name: logGroupName,
      // It contains IP addresses but no accesses to patients, so it need not be kept for years or outlive the stack.
      retentionDays: 90,
      outlivesStack: false,
    });
    const keep = (action: string) => ({ ActionCondition: { Action: action } });
    const logging = new CfnLoggingConfiguration(this, "Logging", {
      resourceArn: this.webAcl.attrArn,
      logDestinationConfigs: [arnOf(this, "logs", "log-group", logGroupName)],
      redactedFields: [{ queryString: {} }, { singleHeader: { Name: "x-api-key" } }],
      loggingFilter: {
        DefaultBehavior: "DROP",
        Filters: [
          {
            Behavior: "KEEP",
            Requirement: "MEETS_ANY",
            Conditions: [keep("BLOCK"), keep("COUNT"), keep("EXCLUDED_AS_COUNT")],
          },
        ],
      },
    });
    logging.node.addDependency(logGroup);
  }
}

/** Limits what no other rule has blocked ("Aggregation options": count all with a scope-down statement). */
function overallCeiling(settings: Settings): CfnWebACL.RuleProperty {
  return {
    name: "AllRequests",
    priority: Object.keys(MANAGED_GROUPS).length + 1,
    statement: {
      rateBasedStatement: {
        aggregateKeyType: "CONSTANT",
        limit: settings.requestsInFiveMinutes,
        evaluationWindowSec: 300,
        scopeDownStatement: {
          byteMatchStatement: {
            fieldToMatch: { uriPath: {} },
            positionalConstraint: "STARTS_WITH",
            searchString: "/", // every path
            textTransformations: [{ priority: 0, type: "NONE" }],
          },
        },
      },
    },
    action: tooManyRequests("AllRequests", settings),
    visibilityConfig: visibility("AllRequests"),
  };
}

function managedGroup(name: string, counted: string[], priority: number): CfnWebACL.RuleProperty {
  return {
    name,
    priority,
    statement: {
      managedRuleGroupStatement: {
        vendorName: "AWS",
        name,
        ...(counted.length > 0 && {
          ruleActionOverrides: counted.map((rule) => ({ name: rule, actionToUse: { count: {} } })),
        }),
      },
    },
    overrideAction: { none: {} },
    visibilityConfig: visibility(name),
  };
}

function substituted(fieldType: string, fieldKeys?: string[]): CfnWebACL.DataProtectProperty {
  return { field: { fieldType, ...(fieldKeys && { fieldKeys }) }, action: "SUBSTITUTION" };
}

function visibility(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { metricName, cloudWatchMetricsEnabled: true, sampledRequestsEnabled: false };
}

/** Blocks with a 429 in the service's error format. */
function tooManyRequests(rule: keyof typeof TOO_MANY_CODES, { corsOrigin }: Settings): CfnWebACL.RuleActionProperty {
  const headers = { [ERROR_CODE]: TOO_MANY_CODES[rule], "retry-after": "60", ...corsResponseHeaders(corsOrigin) };
  return {
    block: {
      customResponse: {
        responseCode: 429,
        customResponseBodyKey: "tooManyRequests",
        responseHeaders: Object.entries(headers).map(([name, value]) => ({ name, value })),
      },
    },
  };
}
