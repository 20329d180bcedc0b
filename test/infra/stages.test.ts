import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { functionOf } from "../../shared/contract/endpoint.ts";
import { BY_PHONE_NUMBER, BY_SWEEP } from "../../shared/dynamo/keys.ts";
import { endpoints } from "../../shared/openapi/registry.ts";
import { ESSENTIAL_METRICS, METRICS } from "../../shared/request/metric-registry.ts";
import { CONTEXTS, KINDS, type Kind, stacksOf, stageAssemblies } from "../helpers/template/stages.ts";
import { flat, type Properties, Template, target } from "../helpers/template/template.ts";

const folder = await stageAssemblies();
const templates = Object.fromEntries(KINDS.map((kind) => [kind, new Template(join(folder, kind))])) as Record<
  Kind,
  Template
>;

/** Whether a key is the one of tables, secrets and logs, and not that of the backups. */
const isOfData = ({ Description }: Properties) => Description.startsWith("Patients");

/** The statements of every policy in a resource. */
function statementsIn(value: unknown): Properties[] {
  if (typeof value !== "object" || value === null) {
    return [];
  }
  return [...("Effect" in value ? [value] : []), ...Object.values(value).flatMap(statementsIn)];
}

const table = (template: Template, index: string) =>
  template.one("AWS::DynamoDB::Table", ({ GlobalSecondaryIndexes: indexes }) => indexes?.[0].IndexName === index);

/** The aliases that CodeDeploy moves to a new version, each with how it does, and its deployment group. */
const shifted = (kind: Kind) =>
  templates[kind].ofType("AWS::Lambda::Alias").flatMap(([id, { Properties, UpdatePolicy, DependsOn = [] }]) => {
    const update: Properties | undefined = UpdatePolicy?.CodeDeployLambdaAliasUpdate;
    const group = templates[kind].properties(target(update?.DeploymentGroupName));
    return update ? [{ id, update, group, alias: Properties, waitsFor: [DependsOn].flat() }] : [];
  });
/** The function that checks new versions. */
const hookOf = (kind: Kind) =>
  templates[kind].one("AWS::Lambda::Function", ({ Environment }) => Environment.Variables.VERSION_CHAT !== undefined);
/** The functions whose new versions are checked first: static pages are not. */
const checked = [...new Set(endpoints.filter((endpoint) => !endpoint.public).map(functionOf))];

const dataStackOf = (kind: Kind): Properties =>
  Object.entries(stacksOf(join(folder, kind))).find(([name]) => name.endsWith("-data"))?.[1] ?? {};

/** Whether the data stack, its tables of patients and threads, and its backups are protected from deletion. */
const protection = (kind: Kind): boolean[] => [
  dataStackOf(kind).terminationProtection ?? false,
  table(templates[kind], BY_PHONE_NUMBER)[1].Properties.DeletionProtectionEnabled,
  table(templates[kind], BY_SWEEP)[1].Properties.DeletionProtectionEnabled,
  flat(templates[kind].only("AWS::Backup::BackupVault").AccessPolicy).includes("DeleteRecoveryPoint"),
];

describe.each(KINDS)("the stack of the kind %s", (kind) => {
  test("exposes nothing but the API", () => {
    const resources = Object.values(templates[kind].resources);
    const reachable = /RestApi$|ApiGatewayV2::Api$|Lambda::Url|LoadBalanc|CloudFront|EC2|AppSync|Cognito/;
    expect(resources.map(({ Type }) => Type).filter((type) => reachable.test(type))).toEqual([
      "AWS::ApiGateway::RestApi",
    ]);
    const open = resources.flatMap(({ Properties }) =>
      statementsIn(Properties).filter(
        ({ Effect, Principal }) =>
          Effect === "Allow" && [Principal, Principal?.AWS, Principal?.Service].flat().includes("*"),
      ),
    );
    expect(open).toEqual([]);
    for (const [, { Properties }] of templates[kind].ofType("AWS::Lambda::Permission")) {
      expect(Properties.SourceArn).toBeDefined();
    }
    for (const [, { Properties }] of templates[kind].ofType("AWS::S3::Bucket")) {
      expect(Object.values(Properties.PublicAccessBlockConfiguration)).toEqual([true, true, true, true]);
    }
  });
});

describe("the stages", () => {
  const stages = ["dev", "staging", "prod"] as const;
  const perStage = <T>(of: (template: Template) => T) =>
    Object.fromEntries(stages.map((stage) => [stage, of(templates[stage])]));

  test("can share an account: alarms and dashboards watch only the metrics of their own stage", () => {
    for (const stage of stages) {
      expect(Object.keys(stacksOf(join(folder, stage)))).toEqual([
        `health-assistant-${stage}-data`,
        `health-assistant-${stage}`,
      ]);
    }
    const written = (template: Template) =>
      template.ofType("AWS::Lambda::Function").map(([, { Properties }]) => Properties.Environment.Variables);
    const services = (template: Template) => [
      ...new Set(written(template).flatMap(({ METRICS_SERVICE }) => METRICS_SERVICE ?? [])), // the hook writes none
      ...new Set(watchedServices(template)),
    ];
    expect(perStage(services)).toEqual({
      dev: ["health-assistant-dev", "health-assistant-dev"],
      staging: ["health-assistant-staging", "health-assistant-staging"],
      prod: ["health-assistant-prod", "health-assistant-prod"],
    });
  });

  /** The service of each metric of the namespace HealthAssistant in the alarms and the dashboard. */
  const watchedServices = (template: Template) => {
    const watched = [
      template.only("AWS::CloudWatch::Dashboard").DashboardBody,
      ...template.ofType("AWS::CloudWatch::Alarm").map(([, { Properties }]) => ({ ...Properties, Tags: undefined })), // tags contain a service too
    ];
    const text = watched.map(flat).join("\n");
    const services = [...text.matchAll(/\bservice(?:","(?:Value":")?|=\\"| = ')([\w-]+)/g)].map(([, name]) => name);
    expect(services).toHaveLength(text.split("HealthAssistant").length - 1); // no metric covers all stages
    expect(services.length).toBeGreaterThan(2);
    return services;
  };

  test("retain patients, their key, all secrets and the logs when the stack is deleted, except in dev", () => {
    const policies = (template: Template, type: string, fits: (properties: Properties) => boolean = () => true) =>
      template
        .ofType(type)
        .filter(([, { Properties }]) => fits(Properties))
        .map(([, { DeletionPolicy }]) => DeletionPolicy);
    const isOfFirewall = ({ LogGroupName }: Properties) => String(LogGroupName).startsWith("aws-waf-logs-");
    const fates = (template: Template) => [
      ...new Set([
        table(template, BY_PHONE_NUMBER)[1].DeletionPolicy,
        ...policies(template, "AWS::KMS::Key", isOfData),
        ...policies(template, "AWS::SecretsManager::Secret"),
        ...policies(template, "AWS::Logs::LogGroup", (group) => !isOfFirewall(group)),
      ]),
    ];
    // Like "Retain", except that a failed creation leaves nothing behind.
    const kept = ["RetainExceptOnCreate"];
    expect(perStage(fates)).toEqual({ dev: ["Delete"], staging: kept, prod: kept });
  });

  test("protect the stack, its tables and its backups from deletion, except in dev", () => {
    expect(stages.map(protection)).toEqual([Array(4).fill(false), Array(4).fill(true), Array(4).fill(true)]);
  });

  test("all remove threads permanently: no recovery, no backup, deleted with the stack", () => {
    const kept = (template: Template) => [
      table(template, BY_SWEEP)[1].Properties.PointInTimeRecoverySpecification,
      template.ofType("AWS::Backup::BackupSelection").length,
      table(template, BY_SWEEP)[1].DeletionPolicy,
    ];
    const expected = [undefined, 1, "Delete"];
    expect(perStage(kept)).toEqual({ dev: expected, staging: expected, prod: expected });
  });

  test("have their own periods and limits, which are those of their settings", () => {
    for (const kind of [...stages, "ceilings"] as const) {
      const template = templates[kind];
      const settings = template.metadata.Settings;
      const execution = template.only("AWS::Logs::LogGroup", ({ LogGroupName }) =>
        flat(LogGroupName).includes("Execution"),
      );
      const [throttle] = template.only("AWS::ApiGateway::Stage").MethodSettings;
      const firewalls = template.all("AWS::WAFv2::WebACL");
      const concurrency = (id: string) =>
        template.ofType("AWS::Lambda::Function").find(([name]) => name.startsWith(id))?.[1].Properties
          .ReservedConcurrentExecutions;
      expect(settings).toMatchObject({
        logRetentionDays: execution.RetentionInDays,
        backupDays: template.only("AWS::Backup::BackupPlan").BackupPlan.BackupPlanRule[0].Lifecycle.DeleteAfterDays,
        methodRequestsPerSecond: throttle.ThrottlingRateLimit,
        methodBurst: throttle.ThrottlingBurstLimit,
      });
      const reserved = kind === "dev" ? undefined : settings.chatConcurrency;
      expect(concurrency("ApiChat")).toBe(reserved);
      expect(concurrency("ApiOpenai")).toBe(reserved && Math.ceil(reserved / 2));
      expect(concurrency("ApiCreateThread")).toBe(reserved && Math.ceil(reserved / 4));
      const ofAddress = firewalls.map(({ Rules: [rule] }) => rule.Statement.RateBasedStatement.Limit);
      expect(ofAddress).toEqual(settings.profile === "small" ? [] : [settings.requestsPerAddress]);
    }
  });
});

describe("a deployment", () => {
  test("moves all traffic at once in dev, where no version is checked", () => {
    expect(shifted("dev")).toEqual([]);
    expect(templates.dev.ofType("AWS::CodeDeploy::DeploymentGroup")).toEqual([]);
  });

  test("with atOnce moves all traffic at once, and neither adds nor removes a resource that the next one needs", () => {
    expect(shifted("atOnce")).toEqual([]);
    // The fallback model, which only the kind "prod" has, is a secret, and part of the versions that use it.
    const lasting = (kind: Kind) =>
      Object.entries(templates[kind].resources)
        .filter(([id, { Type }]) => Type !== "AWS::Lambda::Version" && !id.startsWith("SecretsFallbackKey"))
        .map(([id]) => id);
    expect(lasting("atOnce")).toEqual(lasting("prod"));
    expect(templates.atOnce.ofType("AWS::CodeDeploy::DeploymentGroup")).toHaveLength(checked.length + 2);
  });

  test.each(["staging", "prod"] as const)(
    "to %s gives a tenth of the traffic for 15 minutes to versions with enough of it, and all to the others",
    (kind) => {
      const traffic = shifted(kind).map(({ group }) => {
        const { TrafficRoutingConfig } = templates[kind].properties(target(group.DeploymentConfigName));
        const canary = TrafficRoutingConfig?.TimeBasedCanary;
        const how = canary
          ? `${TrafficRoutingConfig.Type} ${canary.CanaryPercentage}% ${canary.CanaryInterval}`
          : group.DeploymentConfigName;
        return [group.DeploymentGroupName, how];
      });
      const gradual = ["chat", "openai", "create-thread"];
      expect(Object.fromEntries(traffic)).toEqual(
        Object.fromEntries(
          [...checked, "sweep-threads", "deliver-events"].map((name) => [
            name,
            gradual.includes(name) ? "TimeBasedCanary 10% 15" : "CodeDeployDefault.LambdaAllAtOnce",
          ]),
        ),
      );
      // No other function waits for one that takes a quarter of an hour.
      const ofGroup = (name: string) => shifted(kind).find(({ group }) => group.DeploymentGroupName === name)?.id ?? "";
      const waitedFor = shifted(kind).flatMap(({ waitsFor }) => waitsFor);
      expect(gradual.map(ofGroup).filter((id) => waitedFor.includes(id))).toEqual([]);
    },
  );

  test.each(["staging", "prod"] as const)(
    "to %s is rolled back when the alarm of the function or its group goes off",
    (kind) => {
      const template = templates[kind];
      for (const { group, alias } of shifted(kind)) {
        const Events = ["DEPLOYMENT_FAILURE", "DEPLOYMENT_STOP_ON_ALARM", "DEPLOYMENT_STOP_ON_REQUEST"];
        expect(group.AutoRollbackConfiguration).toEqual({ Enabled: true, Events: expect.arrayContaining(Events) });
        expect(group.AlarmConfiguration.Enabled).toBe(true);
        const [alarm, ...others] = group.AlarmConfiguration.Alarms.map(({ Name }: Properties) =>
          template.properties(target(Name)),
        );
        expect(others).toEqual([]);
        const { LoggingConfig } = template.properties(target(alias.FunctionName));
        const counted = template.only(
          "AWS::Logs::MetricFilter",
          ({ LogGroupName, MetricTransformations: [{ MetricName }] }) =>
            MetricName.endsWith("-failures") && target(LogGroupName) === target(LoggingConfig.LogGroup),
        );
        expect(flat(alarm.Metrics)).toContain(`"MetricName":"${counted.MetricTransformations[0].MetricName}"`);
      }
    },
  );

  test("is done by a role that may only move these aliases, invoke the hook and read the states of alarms", () => {
    const template = templates.prod;
    const groups = template.all("AWS::CodeDeploy::DeploymentGroup");
    const [roleId, ...others] = new Set(groups.map(({ ServiceRoleArn }) => target(ServiceRoleArn)));
    expect(others).toEqual([]);
    expect(template.properties(roleId ?? "").ManagedPolicyArns).toBeUndefined();
    const rights = template
      .statementsOf(roleId ?? "")
      .map(({ Action, Resource }) => [Action, [Resource].flat().map(flat).sort()]);
    const functions = shifted("prod").map(({ alias }) => target(alias.FunctionName));
    const [hook] = hookOf("prod");
    expect(rights).toEqual([
      [
        ["lambda:GetAlias", "lambda:GetProvisionedConcurrencyConfig", "lambda:UpdateAlias"],
        functions.flatMap((id) => [`<${id}>`, `<${id}>:live`]).sort(),
      ],
      ["lambda:InvokeFunction", [`<${hook}>`]],
      ["cloudwatch:DescribeAlarms", ["*"]],
    ]);
  });
});

describe("alarms", () => {
  const told = (kind: Kind) =>
    templates[kind]
      .all("AWS::SNS::Subscription")
      .map(({ TopicArn, Protocol, Endpoint }) => [target(TopicArn), Protocol, Endpoint]);
  const topics = (kind: Kind) => templates[kind].ofType("AWS::SNS::Topic").map(([id]) => id);
  /** The alarms of a name, without the stack's. */
  const alarms = (kind: Kind, name: string) =>
    templates[kind].all("AWS::CloudWatch::Alarm", ({ AlarmName }) => AlarmName.endsWith(`-${name}`));

  test("are sent to the operator's mail address or URL if one is set", () => {
    const both = (kind: Kind, ...address: string[]) => topics(kind).map((topic) => [topic, ...address]);
    expect(told("prod")).toEqual(both("prod", "email", "operator@example.test"));
    expect(told("ceilings")).toEqual(both("ceilings", "https", "https://pager.example.test/alarms?team=1"));
    expect(told("staging")).toEqual([]);
  });

  test("that can wait are sent to a separate address if one is set", () => {
    expect(told("options").map(([, protocol, address]) => [protocol, address])).toEqual([
      ["email", "operator@example.test"],
      ["https", "https://notices.example.test/"],
    ]);
  });

  test("do not exist in dev", () => {
    const types = /^AWS::(CloudWatch::(Alarm|CompositeAlarm)|SNS::\w+|Logs::MetricFilter)$/;
    expect(Object.values(templates.dev.resources).filter(({ Type }) => types.test(Type))).toEqual([]);
  });

  test("go off after the silent hours and at the number of tokens that the operator sets, the former by default never", () => {
    const silent = (kind: Kind) => alarms(kind, "no-traffic").map(({ DatapointsToAlarm }) => DatapointsToAlarm);
    expect([silent("prod"), silent("options")]).toEqual([[], [12]]);
    const tokens = (kind: Kind) => alarms(kind, "tokens").map(({ Threshold }) => Threshold);
    expect([tokens("prod"), tokens("ceilings")]).toEqual([[2_000_000], [777]]);
  });

  test("count the answers of every model in use", () => {
    const models = (kind: Kind) =>
      alarms(kind, "model-errors")
        .flatMap(({ Metrics }) => Metrics.flatMap(({ MetricStat }: Properties) => MetricStat?.Metric ?? []))
        .filter(({ MetricName }) => MetricName === "ModelLatency")
        .map(({ Dimensions }) => Dimensions[0].Value);
    expect(models("staging")).toEqual(["gpt-6-luna"]);
    expect(models("prod")).toEqual(["gpt-6-luna", "another-model"]);
  });
});

test("a longer time limit for the model extends every timeout that depends on it", () => {
  const limits = (kind: Kind) => {
    const [[, chat] = []] = templates[kind].ofType("AWS::Lambda::Function").filter(([id]) => /^ApiChat\w{8}$/.test(id));
    const [[, method] = []] = templates[kind]
      .ofType("AWS::ApiGateway::Method")
      .filter(([id]) => /RestApichatANY/.test(id));
    return [
      ...[chat?.Properties.Environment.Variables.MODEL_TOTAL_MILLISECONDS, chat?.Properties.Timeout],
      method?.Properties.Integration.TimeoutInMillis,
    ];
  };
  expect([limits("prod"), limits("options")]).toEqual([
    ["21000", 28, 29_000],
    ["120000", 127, 128_000],
  ]);
});

describe("a custom domain", () => {
  test("replaces the gateway's address, under its base path", () => {
    const template = templates.domain;
    expect(template.outputs.BaseUrl?.Value).toBe("https://api.example.test/health/v1");
    expect(template.only("AWS::ApiGateway::RestApi").DisableExecuteApiEndpoint).toBe(true);
    const [domainId, { Properties }] = template.one("AWS::ApiGateway::DomainName");
    expect(Properties.SecurityPolicy).toBe(template.only("AWS::ApiGateway::RestApi").SecurityPolicy);
    const { ApiMappingKey, DomainName } = template.only("AWS::ApiGatewayV2::ApiMapping");
    expect([ApiMappingKey, target(DomainName)]).toEqual(["health/v1", domainId]);
  });

  test("gets a record in the operator's hosted zone, or an output with the value for the record", () => {
    const [domainId] = templates.domain.one("AWS::ApiGateway::DomainName");
    const { Name, AliasTarget } = templates.domain.only("AWS::Route53::RecordSet");
    expect([Name, target(AliasTarget.DNSName)]).toEqual(["api.example.test", domainId]);
    const template = templates.domainElsewhere;
    expect(template.ofType("AWS::Route53::RecordSet")).toEqual([]);
    expect(template.outputs.BaseUrl?.Value).toBe("https://api.example.test/v1");
    const values = Object.values(template.outputs).map(({ Value }) => flat(Value));
    expect(values).toContain(`<${template.one("AWS::ApiGateway::DomainName")[0]}>`);
  });

  test("does not exist by default", () => {
    expect(templates.prod.ofType("AWS::ApiGateway::DomainName")).toEqual([]);
    expect(templates.prod.only("AWS::ApiGateway::RestApi").DisableExecuteApiEndpoint).toBe(false);
  });
});

describe("the profile small", () => {
  test("has no firewall, few alarms and one dashboard", () => {
    const counts = (kind: Kind) =>
      ["WAFv2::WebACL", "CloudWatch::Dashboard", "CloudWatch::Alarm", "Logs::MetricFilter"].map(
        (type) => templates[kind].ofType(`AWS::${type}`).length,
      );
    expect(counts("small")).toEqual([0, 1, 11, 1]);
    expect(counts("dev")).toEqual([0, 1, 0, 0]); // which has the same profile, without alarms
  });

  test("makes its functions write only the metrics that it watches", () => {
    const { small } = templates;
    for (const { Environment } of small.all("AWS::Lambda::Function")) {
      const { METRICS_SERVICE, METRICS: written } = Environment.Variables;
      expect(written).toBe(METRICS_SERVICE && "essential");
    }
    const watched = [
      flat(small.only("AWS::CloudWatch::Dashboard").DashboardBody),
      ...small.all("AWS::CloudWatch::Alarm").map(({ Metrics, MetricName }) => flat({ Metrics, MetricName })),
    ].join("\n");
    const own = Object.keys(METRICS).filter((name) =>
      new RegExp(`HealthAssistant\\W+${name}\\b|\\(${name}\\)|MetricName=\\W+${name}\\b|"MetricName":"${name}"`).test(
        watched,
      ),
    );
    expect(own.sort()).toEqual([...ESSENTIAL_METRICS].sort());
  });

  test("rolls a new version back on the alarm of the whole API", () => {
    const chat = shifted("small").find(({ group }) => group.DeploymentGroupName === "chat");
    const alarm = templates.small.properties(target(chat?.group.AlarmConfiguration.Alarms[0].Name));
    expect(alarm.AlarmName).toBe("health-assistant-prod-api-errors");
  });
});

describe("a new version", () => {
  const template = templates.prod;
  const [hookId, hook] = hookOf("prod");

  test("is checked by the hook before it gets traffic, including those of the sweep and the delivery", () => {
    expect(shifted("prod")).toHaveLength(checked.length + 2);
    for (const { update, waitsFor } of shifted("prod")) {
      expect(target(update.BeforeAllowTrafficHook)).toBe(hookId);
      expect(waitsFor).toContain(hookId); // the hook knows the new version before the alias moves
    }
  });

  // Lambda's management API allows 15 requests a second. A hook and the function that it invokes need two executions, and
  // a new account has ten ("Lambda quotas").
  test.each([
    ["prod", 5],
    ["unreserved", 4],
  ] as const)("is deployed at the same time as others: in %s, %d at once", (kind, parallel) => {
    const ids = shifted(kind).map(({ id }) => id);
    const before = shifted(kind).map(({ waitsFor }) => waitsFor.filter((id) => ids.includes(id)));
    // Each waits for at most one, and no two for the same: so many chains.
    expect(before.filter(({ length }) => length > 1)).toEqual([]);
    expect(new Set(before.flat()).size).toBe(before.flat().length);
    expect(before.filter(({ length }) => length === 0)).toHaveLength(parallel);
  });

  test("is known to the hook by the name of its deployment group", () => {
    for (const { group, alias } of shifted("prod")) {
      const suffix = group.DeploymentGroupName.toUpperCase().replaceAll("-", "_");
      const { [`FUNCTION_${suffix}`]: fn, [`VERSION_${suffix}`]: version } = hook.Properties.Environment.Variables;
      expect([fn, version]).toEqual([alias.FunctionName, alias.FunctionVersion]);
    }
  });

  test("can be invoked by the hook, which otherwise may only read the keys and report", () => {
    const statements = template.statementsOf(target(hook.Properties.Role));
    const actions = statements.flatMap(({ Action }) => Action);
    expect(actions.filter((action) => !action.startsWith("logs:"))).toEqual([
      ...["lambda:InvokeFunction", "codedeploy:GetDeployment", "codedeploy:PutLifecycleEventHookExecutionStatus"],
      ...["secretsmanager:GetSecretValue", "kms:Decrypt"],
    ]);
    const invoked = statements.find(({ Action }) => Action === "lambda:InvokeFunction")?.Resource;
    expect(invoked).toHaveLength(checked.length + 2);
  });
});

describe("creating a stack", () => {
  test("comes without the audit archive, whose objects would outlive a creation that fails", () => {
    const archive = (kind: Kind) => templates[kind].ofType("AWS::S3::Bucket").length;
    expect([archive("creating"), archive("options")]).toEqual([0, 1]);
  });

  test("protects nothing from deletion until the stack is complete, so that a failed one can be deleted", () => {
    expect(["creating", "prod"].map((kind) => protection(kind as Kind))).toEqual([
      Array(4).fill(false),
      Array(4).fill(true),
    ]);
  });

  test("leaves nothing of the stack behind when it fails", () => {
    const retained = Object.values(templates.prod.resources).filter(
      ({ DeletionPolicy }) => DeletionPolicy === "Retain",
    );
    // The gateway's role for logs belongs to the account, not to the stack.
    expect(retained.map(({ Type }) => Type).sort()).toEqual(["AWS::ApiGateway::Account", "AWS::IAM::Role"]);
  });

  test("the runbook says how to remove what a deleted dev stack leaves behind", () => {
    const [, section = ""] = readFileSync("docs/runbook.md", "utf8").split("## What is left behind");
    const left = Object.values(templates.dev.resources).filter(({ DeletionPolicy = "" }) =>
      /^Retain/.test(DeletionPolicy),
    );
    const removal: Record<string, string> = {
      "AWS::Backup::BackupVault": "aws backup delete-backup-vault",
      "AWS::KMS::Key": "aws kms schedule-key-deletion",
    };
    // The gateway's role for logs belongs to the account: another stack may use it by then. A function's versions are
    // deleted with it.
    const own = left
      .map(({ Type }) => Type)
      .filter((type) => !["AWS::ApiGateway::Account", "AWS::IAM::Role", "AWS::Lambda::Version"].includes(type));
    expect(own.sort()).toEqual(Object.keys(removal));
    expect(Object.values(removal).filter((command) => !section.includes(command))).toEqual([]);
  });

  test.each(["dev", "unreserved"] as const)(
    "reserves nothing in a new account, which has nothing to reserve: %s",
    (kind) => {
      const reserved = ({ ReservedConcurrentExecutions }: Properties) => ReservedConcurrentExecutions !== undefined;
      expect(templates[kind].all("AWS::Lambda::Function", reserved)).toEqual([]);
    },
  );
});

describe("the limit on all requests together", () => {
  test("is the firewall's last rule and counts every path", () => {
    const { Statement, Action } = templates.options.only("AWS::WAFv2::WebACL").Rules.at(-1);
    const { AggregateKeyType, Limit, ScopeDownStatement } = Statement.RateBasedStatement;
    expect([AggregateKeyType, Limit, Action.Block.CustomResponse.ResponseCode]).toEqual(["CONSTANT", 3_000, 429]);
    const { PositionalConstraint, SearchString } = ScopeDownStatement.ByteMatchStatement;
    expect([PositionalConstraint, SearchString]).toEqual(["STARTS_WITH", "/"]);
  });

  test("is included in the alarms on requests rejected by the firewall, and does not exist by default", () => {
    const watching = (kind: Kind) =>
      templates[kind]
        .all("AWS::CloudWatch::Alarm", ({ Metrics = "" }) => flat(Metrics).includes('"AllRequests"'))
        .map(({ AlarmName }) => AlarmName.replace("health-assistant-prod-", ""));
    expect(watching("options").sort()).toEqual(["api-throttled", "firewall-blocks"]);
    expect(watching("prod")).toEqual([]);
    expect(templates.prod.only("AWS::WAFv2::WebACL").Rules).toHaveLength(4);
  });
});

describe("the audit archive", () => {
  const { options } = templates;

  test("exists only if the operator sets how long it is kept", () => {
    expect(templates.prod.ofType("AWS::S3::Bucket")).toEqual([]);
    expect(templates.prod.ofType("AWS::CloudTrail::Trail")).toEqual([]);
  });

  test("records every access to the patients table and its index", () => {
    const trail = options.only("AWS::CloudTrail::Trail");
    expect(trail).toMatchObject({ IsLogging: true, EnableLogFileValidation: true });
    const recorded = JSON.stringify(trail.AdvancedEventSelectors);
    expect(recorded).toContain(`"StartsWith":[{"Fn::GetAtt":["${table(options, BY_PHONE_NUMBER)[0]}","Arn"]}]`);
  });

  test("is in a bucket whose objects nobody can delete, and which outlives the stack", () => {
    const [, bucket] = options.one("AWS::S3::Bucket");
    expect(bucket.Properties.ObjectLockConfiguration.Rule.DefaultRetention).toEqual({ Mode: "COMPLIANCE", Days: 365 });
    expect([bucket.DeletionPolicy, bucket.UpdateReplacePolicy]).toEqual(["RetainExceptOnCreate", "Retain"]);
  });

  test("may be written by its own trail and by exports of this account's logs only", () => {
    const [, { Properties }] = options.one("AWS::S3::BucketPolicy");
    const writers = Properties.PolicyDocument.Statement.filter(({ Effect }: Properties) => Effect === "Allow").map(
      ({ Principal, Action, Condition }: Properties) => [
        ...[flat(Principal.Service), Action, flat(Condition.ArnLike["aws:SourceArn"])],
        flat(Condition.StringEquals["aws:SourceAccount"]),
      ],
    );
    const trail =
      "arn:<AWS::Partition>:cloudtrail:<AWS::Region>:<AWS::AccountId>:trail/health-assistant-prod-data-patients";
    const logs = "arn:<AWS::Partition>:logs:<AWS::Region>:<AWS::AccountId>:log-group:*";
    expect(writers).toEqual([
      ["cloudtrail.amazonaws.com", "s3:GetBucketAcl", trail, "<AWS::AccountId>"],
      ["cloudtrail.amazonaws.com", "s3:PutObject", trail, "<AWS::AccountId>"],
      ["logs.<AWS::Region>.amazonaws.com", "s3:GetBucketAcl", logs, "<AWS::AccountId>"],
      ["logs.<AWS::Region>.amazonaws.com", "s3:PutObject", logs, "<AWS::AccountId>"],
    ]);
  });
});

test("backups are locked and copied to another region, with the same retention, if the operator says so", () => {
  const backups = (kind: Kind) => [
    templates[kind].only("AWS::Backup::BackupVault").LockConfiguration,
    templates[kind].only("AWS::Backup::BackupPlan").BackupPlan.BackupPlanRule[0].CopyActions,
  ];
  expect(backups("prod")).toEqual([undefined, undefined]);
  expect(backups("options")).toEqual([
    { MinRetentionDays: 30, ChangeableForDays: 3 },
    [{ DestinationBackupVaultArn: CONTEXTS.options.backupCopyVault, Lifecycle: { DeleteAfterDays: 35 } }],
  ]);
  // A copy needs permission on every recovery point, since its name is unknown.
  const role = target(templates.options.only("AWS::Backup::BackupSelection").BackupSelection.IamRoleArn);
  const copying = templates.options.statementsOf(role).filter(({ Action }) => Action === "backup:CopyFromBackupVault");
  expect(copying.map(({ Resource }) => Resource)).toEqual(["*"]);
});

test("somebody is told in the morning of a backup that was not copied to the other region", () => {
  const rules = (kind: Kind) =>
    templates[kind].all("AWS::Events::Rule", ({ EventPattern }) => EventPattern?.source.includes("aws.backup"));
  expect(rules("prod")).toEqual([]);
  const [
    {
      EventPattern,
      Targets: [{ Arn }],
    } = { EventPattern: {}, Targets: [{}] },
  ] = rules("options");
  expect(EventPattern).toMatchObject({
    "detail-type": ["Copy Job State Change"],
    detail: { state: ["FAILED"], sourceBackupVaultArn: [expect.anything()] },
  });
  expect(target(Arn)).toMatch(/^MonitoringNotices/);
});

test("the template contains the settings, so that a diff shows changes to them, and the commit as an output", () => {
  expect(templates.options.metadata.Settings).toMatchObject({ stage: "prod", requestsInFiveMinutes: 3_000 });
  expect(templates.options.outputs.Commit?.Value).toBe(CONTEXTS.options.commit);
});
