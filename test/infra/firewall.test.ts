import { describe, expect, test } from "@jest/globals";
import { flat, type Properties, Template, target } from "../helpers/template/template.ts";

const template = new Template(process.env.TEST_CLOUD_ASSEMBLY ?? "");
const [aclId, acl] = template.one("AWS::WAFv2::WebACL");
const rules: Properties[] = acl.Properties.Rules;
const [ofAddress, ...groups] = rules;

/** The rules of a managed group that only count requests. */
const counted = ({ Statement }: Properties): string[] =>
  (Statement.ManagedRuleGroupStatement.RuleActionOverrides ?? []).map(({ Name, ActionToUse }: Properties) => {
    expect(ActionToUse).toEqual({ Count: {} });
    return Name;
  });

test("the firewall protects the stage and allows requests that match no rule", () => {
  const { ResourceArn, WebACLArn } = template.only("AWS::WAFv2::WebACLAssociation");
  expect(target(WebACLArn)).toBe(aclId);
  const [api] = template.one("AWS::ApiGateway::RestApi");
  const [stage] = template.one("AWS::ApiGateway::Stage");
  expect(flat(ResourceArn)).toBe(`arn:<AWS::Partition>:apigateway:<AWS::Region>::/restapis/<${api}>/stages/<${stage}>`);
  expect(acl.Properties).toMatchObject({ Scope: "REGIONAL", DefaultAction: { Allow: {} } });
});

test("too many requests from one address get a 429 in the API's error shape", () => {
  expect(ofAddress).toMatchObject({
    Priority: 0,
    Statement: { RateBasedStatement: { AggregateKeyType: "IP", Limit: 2000, EvaluationWindowSec: 300 } },
    Action: { Block: { CustomResponse: { ResponseCode: 429, CustomResponseBodyKey: "tooManyRequests" } } },
  });
  expect(ofAddress?.Action.Block.CustomResponse.ResponseHeaders).toEqual([
    { Name: "x-error-code", Value: "too-many-requests-from-address" },
    { Name: "retry-after", Value: "60" },
  ]);
  const { ContentType, Content } = acl.Properties.CustomResponseBodies.tooManyRequests;
  expect(ContentType).toBe("APPLICATION_JSON");
  expect(JSON.parse(Content)).toEqual({ success: false, error: "Too many requests" });
});

describe("AWS's managed rules", () => {
  test("are enforced, after the rate limit", () => {
    expect(groups).toHaveLength(3);
    for (const { Priority, OverrideAction, Statement } of groups) {
      expect(Priority).toBeGreaterThan(ofAddress?.Priority);
      expect(OverrideAction).toEqual({ None: {} });
      expect(Statement.ManagedRuleGroupStatement.VendorName).toBe("AWS");
    }
  });

  // AWS silently accepts overrides for unknown rule names ("Rule action overrides"), so the names are listed here.
  test("that inspect bodies only count, so that no long or medical text is rejected", () => {
    expect(groups.flatMap(counted).sort()).toEqual([
      ...["CrossSiteScripting_BODY", "EC2MetaDataSSRF_BODY", "GenericLFI_BODY", "GenericRFI_BODY"],
      ...["JavaDeserializationRCE_BODY", "Log4JRCE_BODY", "NoUserAgent_HEADER", "ReactJSRCE_BODY"],
      "SizeRestrictions_BODY",
    ]);
  });
});

describe("the firewall's record of requests", () => {
  const { Properties: logging } = template.one("AWS::WAFv2::LoggingConfiguration")[1];

  test("contains no body, query string or credential", () => {
    const substituted = acl.Properties.DataProtectionConfig.DataProtections.map(({ Action, Field }: Properties) =>
      [Action, Field.FieldType, ...(Field.FieldKeys ?? [])].join(" "),
    );
    expect(substituted).toEqual([
      ...[
        "SUBSTITUTION BODY",
        "SUBSTITUTION QUERY_STRING",
        "SUBSTITUTION SINGLE_HEADER x-api-key authorization cookie",
      ],
    ]);
    expect(logging.RedactedFields).toEqual([{ QueryString: {} }, { SingleHeader: { Name: "x-api-key" } }]);
  });

  test("has a line for each rejected or counted request, in a log group that the firewall may write to", () => {
    expect(logging.LoggingFilter).toMatchObject({ DefaultBehavior: "DROP" });
    expect(target(logging.ResourceArn)).toBe(aclId);
    const [, group] = template.one("AWS::Logs::LogGroup", ({ LogGroupName }) =>
      String(LogGroupName).startsWith("aws-waf-logs-"),
    );
    expect(flat(logging.LogDestinationConfigs[0])).toMatch(new RegExp(`:log-group:${group.Properties.LogGroupName}$`));
    expect(group.Properties.RetentionInDays).toBe(90);
  });
});
