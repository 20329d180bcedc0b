import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { BY_PHONE_NUMBER, BY_SWEEP } from "../../shared/dynamo/keys.ts";
import { ESSENTIAL_METRICS, METRICS } from "../../shared/metric-registry.ts";
import { endpoints } from "../../shared/openapi/registry.ts";
import { CONTEXTS, KINDS, type Kind, stackOf, stageAssemblies } from "../helpers/template/stages.ts";
import { flat, type Properties, type Resource, Template, target } from "../helpers/template/template.ts";

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

/** The logical ids of the resources that a resource depends on. */
function referencesIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) {
    return [];
  }
  const { DependsOn = [] } = value as { DependsOn?: string[] };
  const own = target(value as Properties);
  return [...(own ? [own] : []), ...DependsOn, ...Object.values(value).flatMap(referencesIn)];
}

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

  test("encrypts every log group and keeps none forever", () => {
    const [keyId] = templates[kind].one("AWS::KMS::Key", isOfData);
    const groups = templates[kind].ofType("AWS::Logs::LogGroup");
    const firewalls = templates[kind].ofType("AWS::WAFv2::WebACL").length;
    expect(groups).toHaveLength(templates[kind].ofType("AWS::Lambda::Function").length + 2 + firewalls); // access, execution
    for (const [, { Properties }] of groups) {
      expect(Properties.KmsKeyId).toEqual({ "Fn::GetAtt": [keyId, "Arn"] });
      expect(Properties.RetentionInDays).toBeGreaterThanOrEqual(30);
    }
  });

  test("gives no role all permissions on a service", () => {
    const statements = templates[kind]
      .ofType("AWS::IAM::Policy")
      .flatMap(([, { Properties }]) => statementsIn(Properties));
    expect(statements.length).toBeGreaterThan(0);
    expect(statements.flatMap(({ Action }) => Action).filter((action) => action.includes("*"))).toEqual([]);
  });

  test("has no circular dependencies", () => {
    const { resources } = templates[kind];
    const ready = new Set<string>();
    const visit = (id: string, resource: Resource | undefined, waiting: string[]): void => {
      if (resource && !ready.has(id)) {
        expect(waiting).not.toContain(id);
        for (const next of referencesIn(resource)) {
          visit(next, resources[next], [...waiting, id]);
        }
        ready.add(id);
      }
    };
    for (const [id, resource] of Object.entries(resources)) {
      visit(id, resource, []);
    }
    expect(ready.size).toBe(Object.keys(resources).length);
  });

  test("tags resources that cost money or hold data with service and stage", () => {
    const stage = (CONTEXTS[kind] as { stage?: string }).stage ?? "dev";
    const types =
      /^AWS::(Lambda::Function|DynamoDB::Table|KMS::Key|Logs::LogGroup|SecretsManager::Secret|ApiGateway::Stage)$/;
    const tagged = Object.values(templates[kind].resources).filter(({ Type }) => types.test(Type));
    expect(tagged.length).toBeGreaterThan(20);
    for (const { Properties } of tagged) {
      expect(Properties.Tags).toEqual([
        { Key: "service", Value: "health-assistant" },
        { Key: "stage", Value: stage },
      ]);
    }
  });
});

describe("the stages", () => {
  const stages = ["dev", "staging", "prod"] as const;
  const perStage = <T>(of: (template: Template, stage: Kind) => T) =>
    Object.fromEntries(stages.map((stage) => [stage, of(templates[stage], stage)]));
  const table = (template: Template, index: string) =>
    template.one("AWS::DynamoDB::Table", ({ GlobalSecondaryIndexes: indexes }) => indexes?.[0].IndexName === index)[1];

  test("are separate stacks that can exist side by side", () => {
    for (const stage of stages) {
      expect(stackOf(join(folder, stage)).templateFile).toBe(`health-assistant-${stage}.template.json`);
    }
  });

  test("can share an account: alarms and dashboards watch only the metrics of their own stage", () => {
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
      template.one("AWS::CloudWatch::Dashboard")[1].Properties.DashboardBody,
      ...template.ofType("AWS::CloudWatch::Alarm").map(([, { Properties }]) => ({ ...Properties, Tags: undefined })), // tags contain a service too
    ];
    const text = watched.map(flat).join("\n");
    const services = [...text.matchAll(/\bservice(?:","(?:Value":")?|=\\"| = ')([\w-]+)/g)].map(([, name]) => name);
    expect(services).toHaveLength(text.split("HealthAssistant").length - 1); // no metric covers all stages
    expect(services.length).toBeGreaterThan(2);
    return services;
  };

  test("retain patients, their key, all secrets and the logs when the stack is deleted, except in dev", () => {
    const fate = (template: Template) => [
      table(template, BY_PHONE_NUMBER).DeletionPolicy,
      template.one("AWS::KMS::Key", isOfData)[1].DeletionPolicy,
      ...new Set(template.ofType("AWS::SecretsManager::Secret").map(([, { DeletionPolicy }]) => DeletionPolicy)),
      ...new Set(
        template
          .ofType("AWS::Logs::LogGroup")
          .filter(([, { Properties }]) => !String(Properties.LogGroupName).startsWith("aws-waf-logs-"))
          .map(([, { DeletionPolicy }]) => DeletionPolicy),
      ),
    ];
    expect(perStage(fate)).toEqual({
      dev: Array(4).fill("Delete"),
      // Like "Retain", except that a failed creation leaves nothing behind.
      staging: Array(4).fill("RetainExceptOnCreate"),
      prod: Array(4).fill("RetainExceptOnCreate"),
    });
  });

  test("protect the stack, its tables and its backups from deletion, except in dev", () => {
    const protection = (template: Template, stage: Kind) => [
      stackOf(join(folder, stage)).terminationProtection ?? false,
      table(template, BY_PHONE_NUMBER).Properties.DeletionProtectionEnabled,
      table(template, BY_SWEEP).Properties.DeletionProtectionEnabled,
      flat(template.one("AWS::Backup::BackupVault")[1].Properties.AccessPolicy).includes("backup:DeleteRecoveryPoint"),
    ];
    expect(perStage(protection)).toEqual({
      dev: [false, false, false, false],
      staging: [true, true, true, true],
      prod: [true, true, true, true],
    });
  });

  test("all remove threads permanently: no recovery, no backup, deleted with the stack", () => {
    const kept = (template: Template) => [
      table(template, BY_SWEEP).Properties.PointInTimeRecoverySpecification,
      template.ofType("AWS::Backup::BackupSelection").length,
      table(template, BY_SWEEP).DeletionPolicy,
    ];
    const expected = [undefined, 1, "Delete"];
    expect(perStage(kept)).toEqual({ dev: expected, staging: expected, prod: expected });
  });

  test("keep logs and backups for different periods", () => {
    const days = (template: Template) => [
      template.one("AWS::Logs::LogGroup", ({ LogGroupName }) => flat(LogGroupName).includes("Execution"))[1].Properties
        .RetentionInDays,
      template.one("AWS::Backup::BackupPlan")[1].Properties.BackupPlan.BackupPlanRule[0].Lifecycle.DeleteAfterDays,
    ];
    expect(perStage(days)).toEqual({ dev: [30, 7], staging: [90, 14], prod: [2192, 35] });
  });

  test("have different limits: rate and burst per method, requests per address, concurrent chats and new threads", () => {
    const limits = (template: Template) => {
      const [{ ThrottlingRateLimit, ThrottlingBurstLimit }] =
        template.one("AWS::ApiGateway::Stage")[1].Properties.MethodSettings;
      const [acl] = template.ofType("AWS::WAFv2::WebACL");
      return [
        ThrottlingRateLimit,
        ThrottlingBurstLimit,
        acl?.[1].Properties.Rules[0].Statement.RateBasedStatement.Limit,
        ...ceilings(template),
      ];
    };
    expect(perStage(limits)).toEqual({
      dev: [20, 40, undefined, 10, 3],
      staging: [50, 100, 5_000, 10, 3],
      prod: [100, 200, 10_000, 20, 5],
    });
  });

  /** The concurrency limits of chats and new threads. */
  const ceilings = (template: Template) =>
    ["ApiChat", "ApiCreateThread"].map(
      (id) =>
        template.ofType("AWS::Lambda::Function").find(([name]) => name.startsWith(id))?.[1].Properties
          .ReservedConcurrentExecutions,
    );

  test("have limits that the operator can change", () => {
    const [ofAddress] = templates.ceilings.one("AWS::WAFv2::WebACL")[1].Properties.Rules;
    expect(ofAddress.Statement.RateBasedStatement.Limit).toBe(77);
    expect(ceilings(templates.ceilings)).toEqual([7, 2]);
  });
});

describe("a deployment", () => {
  const shifted = (kind: Kind) =>
    templates[kind].ofType("AWS::Lambda::Alias").filter(([, { UpdatePolicy }]) => UpdatePolicy !== undefined);

  test.each(["dev", "atOnce"] as const)("moves all traffic at once: %s", (kind) => {
    expect(shifted(kind)).toEqual([]);
    expect(templates[kind].ofType("AWS::CodeDeploy::DeploymentGroup")).toEqual([]);
  });

  test.each(["staging", "prod"] as const)(
    "to %s first gives each function's new version a tenth of the traffic for 15 minutes",
    (kind) => {
      const template = templates[kind];
      const aliases = shifted(kind);
      const gradual = endpoints.filter((endpoint) => !endpoint.public); // static pages are not shifted gradually
      expect(aliases).toHaveLength(gradual.length + 1);
      const canaries = aliases.map(([, { UpdatePolicy, Properties }]) => {
        const group = template.properties(target(UpdatePolicy?.CodeDeployLambdaAliasUpdate.DeploymentGroupName));
        const { TrafficRoutingConfig } = template.properties(target(group.DeploymentConfigName));
        expect(TrafficRoutingConfig.Type).toBe("TimeBasedCanary");
        const { CanaryInterval, CanaryPercentage } = TrafficRoutingConfig.TimeBasedCanary;
        return [target(Properties.FunctionName).startsWith("Sweep"), CanaryPercentage, CanaryInterval];
      });
      const ofEndpoints = gradual.map(() => [false, 10, 15]);
      expect(canaries.filter(([isSweep]) => !isSweep)).toEqual(ofEndpoints);
      // The sweep runs every 10 minutes: a tenth would be no run, but half of the two runs in 20 minutes is one.
      expect(canaries.filter(([isSweep]) => isSweep)).toEqual([[true, 50, 20]]);
    },
  );

  test.each(["staging", "prod"] as const)("to %s is rolled back when the function's own alarm goes off", (kind) => {
    const template = templates[kind];
    for (const [, { Properties, UpdatePolicy }] of shifted(kind)) {
      const group = template.properties(target(UpdatePolicy?.CodeDeployLambdaAliasUpdate.DeploymentGroupName));
      expect(group.AutoRollbackConfiguration).toEqual({
        Enabled: true,
        Events: expect.arrayContaining([
          "DEPLOYMENT_FAILURE",
          "DEPLOYMENT_STOP_ON_ALARM",
          "DEPLOYMENT_STOP_ON_REQUEST",
        ]),
      });
      expect(group.AlarmConfiguration.Enabled).toBe(true);
      const alarms = group.AlarmConfiguration.Alarms.map(({ Name }: Properties) => template.properties(target(Name)));
      expect(alarms).toHaveLength(1);
      const [, counted] = template.one(
        "AWS::Logs::MetricFilter",
        ({ LogGroupName, MetricTransformations: [{ MetricName }] }) =>
          MetricName.endsWith("-failures") &&
          target(LogGroupName) === target(template.properties(target(Properties.FunctionName)).LoggingConfig.LogGroup),
      );
      const { MetricName } = counted.Properties.MetricTransformations[0];
      expect(flat(alarms[0].Metrics)).toContain(`"MetricName":"${MetricName}"`);
    }
  });

  test("is done by a role that may only move these aliases, invoke the hook and read the states of alarms", () => {
    const template = templates.prod;
    const groups = template.ofType("AWS::CodeDeploy::DeploymentGroup").map(([, { Properties }]) => Properties);
    const [roleId, ...others] = new Set(groups.map(({ ServiceRoleArn }) => target(ServiceRoleArn)));
    expect(others).toEqual([]);
    expect(template.properties(roleId ?? "").ManagedPolicyArns).toBeUndefined();
    const rights = template
      .statementsOf(roleId ?? "")
      .map(({ Action, Resource }) => [Action, [Resource].flat().map(flat).sort()]);
    const functions = shifted("prod").map(([, { Properties }]) => target(Properties.FunctionName));
    const [hook] = template.one("AWS::Lambda::Function", ({ Environment }) => Environment.Variables.VERSION_CHAT);
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
      .ofType("AWS::SNS::Subscription")
      .map(([, { Properties }]) => [target(Properties.TopicArn), Properties.Protocol, Properties.Endpoint]);
  const topics = (kind: Kind) => templates[kind].ofType("AWS::SNS::Topic").map(([id]) => id);

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

  test("go off after the number of silent hours that the operator sets, by default never", () => {
    const silent = (kind: Kind) =>
      templates[kind]
        .ofType("AWS::CloudWatch::Alarm")
        .filter(([, { Properties }]) => Properties.AlarmName.endsWith("-no-traffic"))
        .map(([, { Properties }]) => [Properties.EvaluationPeriods, Properties.DatapointsToAlarm]);
    expect([silent("prod"), silent("options")]).toEqual([[], [[12, 12]]]);
  });

  test("go off at the number of tokens that the operator sets", () => {
    const threshold = (kind: Kind) =>
      templates[kind].one("AWS::CloudWatch::Alarm", ({ AlarmName }) => AlarmName.endsWith("-tokens"))[1].Properties
        .Threshold;
    expect([threshold("prod"), threshold("ceilings")]).toEqual([2_000_000, 777]);
  });

  test("count the answers of every model in use", () => {
    const models = (kind: Kind) =>
      templates[kind]
        .one("AWS::CloudWatch::Alarm", ({ AlarmName }) => AlarmName.endsWith("-model-errors"))[1]
        .Properties.Metrics.filter(({ MetricStat }: Properties) => MetricStat?.Metric.MetricName === "ModelLatency")
        .map(({ MetricStat }: Properties) => MetricStat.Metric.Dimensions[0].Value);
    expect(models("staging")).toEqual(["gpt-6-luna"]);
    expect(models("prod")).toEqual(["gpt-6-luna", "another-model"]);
  });
});

test("a longer time limit for the model extends every timeout that depends on it", () => {
  const limits = (kind: Kind) => {
    const functions = templates[kind].ofType("AWS::Lambda::Function").filter(([id]) => /^ApiChat\w{8}$/.test(id));
    const methods = templates[kind].ofType("AWS::ApiGateway::Method").filter(([id]) => /chatPOST/.test(id));
    const variables = functions[0]?.[1].Properties.Environment.Variables;
    return [
      variables.MODEL_TOTAL_MILLISECONDS,
      functions[0]?.[1].Properties.Timeout,
      methods[0]?.[1].Properties.Integration.TimeoutInMillis,
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
    expect(template.one("AWS::ApiGateway::RestApi")[1].Properties.DisableExecuteApiEndpoint).toBe(true);
    const [domainId, domain] = template.one("AWS::ApiGateway::DomainName");
    expect(domain.Properties).toMatchObject({
      DomainName: "api.example.test",
      EndpointConfiguration: { Types: ["REGIONAL"] },
      RegionalCertificateArn: CONTEXTS.domain.certificateArn,
      SecurityPolicy: "SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09",
    });
    expect(template.one("AWS::ApiGatewayV2::ApiMapping")[1].Properties).toMatchObject({
      ApiMappingKey: "health/v1",
      DomainName: { Ref: domainId },
      Stage: { Ref: template.one("AWS::ApiGateway::Stage")[0] },
    });
  });

  test("gets a record in the operator's hosted zone, or an output with the value for the record", () => {
    const [domainId] = templates.domain.one("AWS::ApiGateway::DomainName");
    expect(templates.domain.one("AWS::Route53::RecordSet")[1].Properties).toMatchObject({
      HostedZoneId: "Z0000000EXAMPLE",
      Name: "api.example.test",
      Type: "A",
      AliasTarget: { DNSName: { "Fn::GetAtt": [domainId, "RegionalDomainName"] } },
    });
    const template = templates.domainElsewhere;
    expect(template.ofType("AWS::Route53::RecordSet")).toEqual([]);
    expect(template.outputs.BaseUrl?.Value).toBe("https://api.example.test/v1");
    const values = Object.values(template.outputs).map(({ Value }) => flat(Value));
    expect(values).toContain(`<${template.one("AWS::ApiGateway::DomainName")[0]}>`);
  });

  test("does not exist by default", () => {
    expect(templates.prod.ofType("AWS::ApiGateway::DomainName")).toEqual([]);
    expect(templates.prod.one("AWS::ApiGateway::RestApi")[1].Properties.DisableExecuteApiEndpoint).toBe(false);
  });
});

describe("the profile small", () => {
  const count = (kind: Kind, type: string) => templates[kind].ofType(type).length;

  test("has no firewall, few alarms and one dashboard", () => {
    expect(count("small", "AWS::WAFv2::WebACL")).toBe(0);
    const names = templates.small
      .ofType("AWS::CloudWatch::Alarm")
      .map(([, { Properties }]) => Properties.AlarmName.replace("health-assistant-prod-", ""));
    expect(names.sort()).toEqual([
      ...["api-errors", "backup-failed", "backup-missing", "model-refuses", "sweep-missing", "tokens"],
    ]);
    expect(count("small", "AWS::CloudWatch::CompositeAlarm")).toBe(1);
    expect(count("small", "AWS::CloudWatch::Dashboard")).toBe(1);
    expect(count("small", "AWS::Logs::MetricFilter")).toBe(0);
  });

  test("makes its functions write only the metrics that it watches", () => {
    const { small } = templates;
    for (const [, { Properties }] of small.ofType("AWS::Lambda::Function")) {
      const { METRICS_SERVICE, METRICS: written } = Properties.Environment.Variables;
      expect(written).toBe(METRICS_SERVICE && "essential");
    }
    const watched = [
      flat(small.one("AWS::CloudWatch::Dashboard")[1].Properties.DashboardBody),
      ...small.ofType("AWS::CloudWatch::Alarm").map(([, { Properties }]) => flat(Properties.Metrics)),
    ].join("\n");
    const own = Object.keys(METRICS).filter((name) =>
      new RegExp(`HealthAssistant\\W+${name}\\b|\\(${name}\\)|MetricName=\\W+${name}\\b|"MetricName":"${name}"`).test(
        watched,
      ),
    );
    expect(own.sort()).toEqual([...ESSENTIAL_METRICS].sort());
  });

  test("is also used by dev, without alarms", () => {
    expect(count("dev", "AWS::WAFv2::WebACL")).toBe(0);
    expect(count("dev", "AWS::CloudWatch::Dashboard")).toBe(1);
  });

  test("rolls a new version back on the alarm of the whole API", () => {
    const [, { Properties }] = templates.small.one(
      "AWS::CodeDeploy::DeploymentGroup",
      ({ DeploymentGroupName }) => DeploymentGroupName === "chat",
    );
    const alarm = templates.small.properties(target(Properties.AlarmConfiguration.Alarms[0].Name));
    expect(alarm.AlarmName).toBe("health-assistant-prod-api-errors");
  });
});

describe("a new version", () => {
  const template = templates.prod;
  const [hookId, hook] = template.one(
    "AWS::Lambda::Function",
    ({ Environment }) => Environment.Variables.VERSION_CHAT !== undefined,
  );
  const gradual = template.ofType("AWS::Lambda::Alias").filter(([, { UpdatePolicy }]) => UpdatePolicy);

  test("is checked by the hook before it gets traffic, including the sweep's", () => {
    expect(gradual).toHaveLength(endpoints.filter((endpoint) => !endpoint.public).length + 1);
    for (const [, alias] of gradual) {
      const update = alias.UpdatePolicy?.CodeDeployLambdaAliasUpdate;
      expect(target(update.BeforeAllowTrafficHook)).toBe(hookId);
      expect(alias.DependsOn).toContain(hookId); // the hook knows the new version before the alias moves
    }
  });

  // A hook and the function that it invokes need two executions, and a new account has ten ("Lambda quotas").
  test.each([
    ["prod", 13],
    ["unreserved", 4],
  ] as const)("is deployed at the same time as others: in %s, %d at once", (kind, parallel) => {
    const aliases = new Map(
      templates[kind].ofType("AWS::Lambda::Alias").filter(([, { UpdatePolicy }]) => UpdatePolicy),
    );
    const before = [...aliases.values()].map(({ DependsOn = [] }) =>
      [DependsOn].flat().filter((id: string) => aliases.has(id)),
    );
    // Each waits for at most one, and no two for the same: so many chains.
    expect(before.filter((ids) => ids.length > 1)).toEqual([]);
    expect(new Set(before.flat()).size).toBe(before.flat().length);
    expect(before.filter((ids) => ids.length === 0)).toHaveLength(parallel);
  });

  test("is known to the hook by the name of its deployment group", () => {
    for (const [, { Properties, UpdatePolicy }] of gradual) {
      const group = target(UpdatePolicy?.CodeDeployLambdaAliasUpdate.DeploymentGroupName);
      const suffix = template.properties(group).DeploymentGroupName.toUpperCase().replaceAll("-", "_");
      const { [`FUNCTION_${suffix}`]: fn, [`VERSION_${suffix}`]: version } = hook.Properties.Environment.Variables;
      expect(fn).toEqual(Properties.FunctionName);
      expect(version).toEqual(Properties.FunctionVersion);
    }
  });

  test("can be invoked by the hook, which otherwise may only read the keys and report", () => {
    const rights = template
      .statementsOf(target(hook.Properties.Role))
      .flatMap(({ Action, Resource }) => [Action].flat().map((action) => [action, [Resource].flat().length]));
    expect(rights).toEqual([
      ["logs:CreateLogStream", 1],
      ["logs:PutLogEvents", 1],
      ["lambda:InvokeFunction", gradual.length],
      ["codedeploy:GetDeployment", gradual.length],
      ["codedeploy:PutLifecycleEventHookExecutionStatus", gradual.length],
      ["secretsmanager:GetSecretValue", 1],
      ["kms:Decrypt", 1],
    ]);
  });
});

describe("creating a stack", () => {
  const isProtected = (kind: Kind) => [
    stackOf(join(folder, kind)).terminationProtection ?? false,
    ...templates[kind]
      .ofType("AWS::DynamoDB::Table")
      .filter(([, { Properties }]) => Properties.GlobalSecondaryIndexes) // the quota table is never protected
      .map(([, { Properties }]) => Properties.DeletionProtectionEnabled),
    flat(templates[kind].one("AWS::Backup::BackupVault")[1].Properties.AccessPolicy).includes("DeleteRecoveryPoint"),
  ];

  test("protects nothing from deletion until the stack is complete, so that a failed one can be deleted", () => {
    expect(isProtected("creating")).toEqual([false, false, false, false]);
    expect(isProtected("prod")).toEqual([true, true, true, true]);
  });

  test("leaves nothing of the stack behind when it fails", () => {
    const retained = Object.values(templates.prod.resources).filter(
      ({ DeletionPolicy }) => DeletionPolicy === "Retain",
    );
    // The gateway's role for logs belongs to the account, not to the stack.
    expect(retained.map(({ Type }) => Type).sort()).toEqual(["AWS::ApiGateway::Account", "AWS::IAM::Role"]);
  });

  test("reserves no concurrency if the operator says that the account has none to reserve", () => {
    const reserved = templates.unreserved
      .ofType("AWS::Lambda::Function")
      .filter(([, { Properties }]) => Properties.ReservedConcurrentExecutions !== undefined);
    expect(reserved).toEqual([]);
  });
});

describe("the limit on all requests together", () => {
  test("is the firewall's last rule and counts every path", () => {
    const rules = templates.options.one("AWS::WAFv2::WebACL")[1].Properties.Rules;
    expect(rules.at(-1)).toMatchObject({
      Name: "AllRequests",
      Priority: 4,
      Statement: {
        RateBasedStatement: {
          AggregateKeyType: "CONSTANT",
          Limit: 3_000,
          EvaluationWindowSec: 300,
          ScopeDownStatement: {
            ByteMatchStatement: {
              FieldToMatch: { UriPath: {} },
              PositionalConstraint: "STARTS_WITH",
              SearchString: "/",
            },
          },
        },
      },
      Action: { Block: { CustomResponse: { ResponseCode: 429, CustomResponseBodyKey: "tooManyRequests" } } },
    });
  });

  test("does not exist by default", () => {
    expect(templates.prod.one("AWS::WAFv2::WebACL")[1].Properties.Rules).toHaveLength(4);
  });

  test("is included in the alarms on requests rejected by the firewall, if it exists", () => {
    const watching = (kind: Kind) =>
      templates[kind]
        .ofType("AWS::CloudWatch::Alarm")
        .filter(([, { Properties }]) => flat(Properties.Metrics ?? "").includes('"AllRequests"'))
        .map(([, { Properties }]) => Properties.AlarmName);
    expect(watching("options").sort()).toEqual([
      "health-assistant-prod-api-throttled",
      "health-assistant-prod-firewall-blocks",
    ]);
    expect(watching("prod")).toEqual([]);
  });
});

test("a copy of the backups needs permission on every recovery point, since its name is unknown", () => {
  const role = target(templates.options.one("AWS::Backup::BackupSelection")[1].Properties.BackupSelection.IamRoleArn);
  const copying = templates.options.statementsOf(role).find(({ Action }) => Action === "backup:CopyFromBackupVault");
  expect(copying?.Resource).toBe("*");
});

test("backups are locked for the number of days that the operator sets, by default not at all", () => {
  const lock = (kind: Kind) => templates[kind].one("AWS::Backup::BackupVault")[1].Properties.LockConfiguration;
  expect([lock("prod"), lock("options")]).toEqual([undefined, { MinRetentionDays: 30, ChangeableForDays: 3 }]);
});

describe("the audit archive", () => {
  const { options } = templates;

  test("exists only if the operator sets how long it is kept", () => {
    expect(templates.prod.ofType("AWS::S3::Bucket")).toEqual([]);
    expect(templates.prod.ofType("AWS::CloudTrail::Trail")).toEqual([]);
  });

  test("records every access to the patients table and its index", () => {
    const [patients] = options.one(
      "AWS::DynamoDB::Table",
      ({ GlobalSecondaryIndexes: indexes }) => indexes?.[0].IndexName === BY_PHONE_NUMBER,
    );
    const [, { Properties }] = options.one("AWS::CloudTrail::Trail");
    expect(Properties).toMatchObject({ IsLogging: true, EnableLogFileValidation: true });
    expect(Properties.AdvancedEventSelectors.map(({ FieldSelectors }: Properties) => FieldSelectors)).toEqual([
      [
        { Field: "eventCategory", Equals: ["Data"] },
        { Field: "resources.type", Equals: ["AWS::DynamoDB::Table"] },
        { Field: "resources.ARN", StartsWith: [{ "Fn::GetAtt": [patients, "Arn"] }] },
      ],
    ]);
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
    const trail = "arn:<AWS::Partition>:cloudtrail:<AWS::Region>:<AWS::AccountId>:trail/health-assistant-prod-patients";
    const logs = "arn:<AWS::Partition>:logs:<AWS::Region>:<AWS::AccountId>:log-group:*";
    expect(writers).toEqual([
      ["cloudtrail.amazonaws.com", "s3:GetBucketAcl", trail, "<AWS::AccountId>"],
      ["cloudtrail.amazonaws.com", "s3:PutObject", trail, "<AWS::AccountId>"],
      ["logs.<AWS::Region>.amazonaws.com", "s3:GetBucketAcl", logs, "<AWS::AccountId>"],
      ["logs.<AWS::Region>.amazonaws.com", "s3:PutObject", logs, "<AWS::AccountId>"],
    ]);
  });
});

test("backups are copied to another region if a vault for them is set, with the same retention", () => {
  const rule = (kind: Kind) =>
    templates[kind].one("AWS::Backup::BackupPlan")[1].Properties.BackupPlan.BackupPlanRule[0];
  expect(rule("prod").CopyActions).toBeUndefined();
  expect(rule("options").CopyActions).toEqual([
    { DestinationBackupVaultArn: CONTEXTS.options.backupCopyVault, Lifecycle: { DeleteAfterDays: 35 } },
  ]);
});

test("the template contains the settings, so that a diff shows changes to them, and the commit as an output", () => {
  expect(templates.options.metadata.Settings).toMatchObject({
    stage: "prod",
    alarmAddress: "operator@example.test",
    requestsInFiveMinutes: 3_000,
    emergencyNumber: "911",
  });
  expect(templates.options.outputs.Commit?.Value).toBe(CONTEXTS.options.commit);
});
