import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { METRICS } from "../../shared/request/metric-registry.ts";
import { flat, functionsByCaller, type Properties, Template, target } from "../helpers/template/template.ts";

const assembly = process.env.TEST_CLOUD_ASSEMBLY ?? "";
const template = new Template(assembly);
const functionIds = [...new Set(Object.values(functionsByCaller(assembly)))].sort();
const alarms = template.all("AWS::CloudWatch::Alarm");
const outage = template.only("AWS::CloudWatch::CompositeAlarm");
/** The alarms that make up the outage alarm: an outage of the model provider sets off all of them. */
const SIGNS = [...["chat-failing", "create-thread-failing", "model-errors", "model-refuses", "openai-failing", "slow"]];
const topics = template.ofType("AWS::SNS::Topic").map(([id]) => id);
const urgent = topics.find((id) => id.startsWith("MonitoringAlarms"));
const notices = topics.find((id) => id.startsWith("MonitoringNotices"));
const isNotice = ({ AlarmActions }: Properties): boolean => AlarmActions?.[0].Ref === notices;
const nameOf = ({ AlarmName }: Properties): string => AlarmName.replace(/^health-assistant-dev-|-\d+$/g, "");

/** The metrics that an alarm watches; none for a query. */
function metricsOf({ Metrics, MetricName, Namespace, Dimensions, Period }: Properties): Properties[] {
  const single = [{ Metric: { MetricName, Namespace, Dimensions }, Period }];
  return Metrics ? Metrics.flatMap(({ MetricStat }: Properties) => MetricStat ?? []) : single;
}

/** The alarms of a name; several if one cannot watch everything. */
const named = (name: string): Properties[] => alarms.filter((alarm) => nameOf(alarm) === name);
const watchedBy = (name: string): Properties[] =>
  named(name)
    .flatMap(metricsOf)
    .map(({ Metric }) => Metric);
const namesOf = (fits: (alarm: Properties) => boolean): string[] => alarms.filter(fits).map(nameOf).sort();

describe("the alarms", () => {
  /** The rows of the runbook's table. */
  const rows = readFileSync(join(import.meta.dirname, "../../docs/runbook.md"), "utf8")
    .split(/^## /m)
    .filter((section) => section.startsWith("Alarms\n"))
    .flatMap((section) => section.match(/^\| `.*\|$/gm) ?? []);
  /** The names in a row's first column. */
  const namesIn = (row: string) => [...(row.split("|")[1] ?? "").matchAll(/`([\w-]+)`/g)].map(([, name]) => name);
  const runbook = rows.flatMap(namesIn);

  test("each have an entry in the runbook, which has no others", () => {
    // Sent by EventBridge, in the profile small only, with certain settings only, and a composite alarm.
    const others = ["api-errors", "certificate-expiring", "copy-failed", "key-disabled"];
    others.push("no-traffic", "outage", "outside-check-failing");
    expect(runbook.sort()).toEqual([...new Set(alarms.map(nameOf)), ...others].sort());
  });

  test("look only for events that the code logs", () => {
    const shared = join(import.meta.dirname, "../../shared");
    const sources = readdirSync(shared, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"));
    const code = sources.map((path) => readFileSync(join(shared, path), "utf8")).join("\n");
    const watched = template
      .all("AWS::Logs::MetricFilter")
      .flatMap(({ FilterPattern }) => [...FilterPattern.matchAll(/message\.event = "([^"]+)"/g)])
      .map(([, event]) => event);
    expect(new Set(watched).size).toBeGreaterThan(2);
    for (const event of new Set(watched)) {
      expect(code).toMatch(new RegExp(`log(Info|Warning|Error)\\(\\s*"${event}"`));
    }
  });

  test("notify the operator when they go off and, if that was urgent, when they recover", () => {
    for (const alarm of [...alarms.filter((each) => !SIGNS.includes(nameOf(each))), outage]) {
      const { AlarmActions, OKActions, ActionsEnabled = true } = alarm;
      const [topic, recovered] = isNotice(alarm) ? [{ Ref: notices }, undefined] : [{ Ref: urgent }, [{ Ref: urgent }]];
      expect([AlarmActions, OKActions, ActionsEnabled]).toEqual([[topic], recovered, true]);
    }
  });

  test("say what is wrong and what to do, in what CloudWatch allows", () => {
    for (const { AlarmName, AlarmDescription } of [...alarms, outage]) {
      const name = AlarmName.replace(/^health-assistant-dev-|-\d+$/g, "");
      expect(AlarmDescription).toMatch(
        new RegExp(`^[^.]+\\. What to do: [^\`|]{40,}\\. More: docs/runbook\\.md, Alarms, ${name}\\.$`),
      );
      expect(AlarmDescription.length).toBeLessThanOrEqual(1_024); // "PutMetricAlarm"
    }
  });

  test("send one message about an outage: its component alarms do not notify anyone", () => {
    const signs = alarms.filter((alarm) => SIGNS.includes(nameOf(alarm)));
    expect(signs.length).toBeGreaterThanOrEqual(SIGNS.length); // some kinds have several alarms
    for (const { AlarmActions, OKActions } of signs) {
      expect([AlarmActions, OKActions]).toEqual([undefined, undefined]);
    }
    const rule = flat(outage.AlarmRule);
    const ids = template.ofType("AWS::CloudWatch::Alarm").filter(([id]) => rule.includes(id));
    expect([...new Set(ids.map(([, { Properties }]) => nameOf(Properties)))].sort()).toEqual(SIGNS);
    expect(ids).toHaveLength(signs.length);
    expect(rule).not.toContain("AND");
  });

  test("wake nobody up for what can wait until the morning", () => {
    expect(namesOf(isNotice)).toEqual([
      ...["api-throttled", "backup-failed", "backup-missing", "event-stream-down", "events-given-up", "events-late"],
      "extras-failing",
      ...[
        "firewall-blocks",
        "functions-throttled",
        "handoffs-unanswered",
        "ids-guessed",
        "keys-refused",
        "sources-missing",
        "sweep-late",
        "sweep-missing",
        "sweep-threads-failing",
      ],
      ...["thread-ids-scarce", "verdicts-missing"],
    ]);
  });

  test("go off when the firewall rejects a client with 403, but not when it limits requests with 429", () => {
    const rules = watchedBy("firewall-blocks").map(
      ({ Dimensions }) => Dimensions.find(({ Name }: Properties) => Name === "Rule").Value,
    );
    expect(rules.sort()).toEqual(["ALL", "RequestsPerAddress"]);
    const [alarm] = named("firewall-blocks");
    const expressions = alarm?.Metrics.flatMap(({ Expression }: Properties) => Expression ?? []);
    expect(expressions).toEqual(["SUM([blocked, 0 - r0])"]);
  });

  test("go off when any function that reads keys cannot read or refresh them", () => {
    const ofKeys = template.all("AWS::Logs::MetricFilter", (filter) =>
      filter.FilterPattern.includes("secret-not-refreshed"),
    );
    const readers = template
      .all("AWS::Lambda::Function", ({ Environment }) => Environment.Variables.API_KEYS_SECRET)
      .map(({ LoggingConfig }) => target(LoggingConfig.LogGroup));
    expect(ofKeys.map(({ LogGroupName }) => target(LogGroupName)).sort()).toEqual([...new Set(readers)].sort());
    for (const { FilterPattern } of ofKeys) {
      expect(FilterPattern).toContain('$.message.event = "api-keys-unreadable"');
    }
    expect(new Set(ofKeys.map(({ MetricTransformations: [{ MetricName }] }) => MetricName)).size).toBe(1);
  });

  test("include an event when an encryption key is disabled or scheduled for deletion, which needs no key to arrive", () => {
    const [, { Properties }] = template.one("AWS::Events::Rule", ({ EventPattern }) => EventPattern);
    expect(Properties.EventPattern.detail).toMatchObject({ eventName: ["DisableKey", "ScheduleKeyDeletion"] });
    const { keyId } = Properties.EventPattern.detail.requestParameters;
    const keys = template
      .ofType("AWS::KMS::Key")
      .flatMap(([id]): Properties[] => [{ Ref: id }, { "Fn::GetAtt": [id, "Arn"] }]);
    expect(keys).toHaveLength(4);
    expect(keyId.map(flat).sort()).toEqual(keys.map(flat).sort());
    expect(keyId).toEqual(expect.arrayContaining(keys)); // the ID and the ARN of each
    const [{ Arn, RoleArn }] = Properties.Targets;
    expect([target(Arn), RoleArn]).toEqual([urgent, undefined]);
    expect(template.properties(urgent ?? "").KmsMasterKeyId).toBeUndefined();
  });

  test("page about an outage of all chats even if a milder one is already on", () => {
    const [alarm] = named("chats-down");
    expect(alarm?.AlarmActions).toEqual([{ Ref: urgent }]);
    expect(alarm?.Threshold).toBe(50);
    const expressions = (alarm?.Metrics ?? []).flatMap(({ Expression }: Properties) => Expression ?? []);
    const share = (of: string) => `IF(failed_${of} >= 3, 100 * failed_${of} / invocations_${of}, 0)`;
    expect(expressions.sort()).toEqual([share("chat"), share("openai"), "MAX([p0, p1])"]);
    const watched = ["chat-failing", "openai-failing"].flatMap(watchedBy);
    expect(watchedBy("chats-down")).toEqual(expect.arrayContaining(watched));
  });

  test("have metrics of one period, no search, and more than one period, since metrics can be late", () => {
    for (const alarm of alarms) {
      expect(new Set(metricsOf(alarm).map(({ Period }) => Period)).size).toBeLessThanOrEqual(1);
      expect(flat(alarm.Metrics)).not.toContain("SEARCH");
      expect([nameOf(alarm), alarm.EvaluationPeriods]).not.toEqual([nameOf(alarm), 1]);
    }
  });

  test("treat no missing data as a fault and fill in none: a stack that is being created has none", () => {
    expect(namesOf(({ TreatMissingData }) => TreatMissingData !== "notBreaching")).toEqual([]);
    expect(namesOf(({ Metrics = "" }) => flat(Metrics).includes("FILL"))).toEqual([]);
  });

  test("watch the duration of every function that callers wait for, except public pages", () => {
    const watched = [...new Set(watchedBy("slow").map(({ Dimensions }) => target(Dimensions[0].Value)))];
    const routed = Object.entries(functionsByCaller(assembly)).filter(
      ([caller]) => !["sweep", "delivery", "GET /openapi.json", "GET /docs", "GET /llms.txt"].includes(caller),
    );
    expect(watched.sort()).toEqual([...new Set(routed.map(([, id]) => id))].sort());
  });

  test("watch the throttling of every table and index", () => {
    const expected = template.ofType("AWS::DynamoDB::Table").flatMap(([id, { Properties }]) => {
      const indexes = (Properties.GlobalSecondaryIndexes ?? []).map(({ IndexName }: Properties) => IndexName);
      return ["", ...indexes].flatMap((index) => [
        ...[`ReadThrottleEvents ${index}<${id}>`, `WriteThrottleEvents ${index}<${id}>`],
      ]);
    });
    const places = watchedBy("database-throttled").map(
      ({ MetricName, Dimensions }) =>
        `${MetricName} ${Dimensions.map(({ Value }: Properties) => flat(Value)).join("")}`,
    );
    expect(places.sort()).toEqual(expected.sort());
  });

  test.each([
    ["api-throttled", "THROTTLED"],
    ["gateway-down", "INTEGRATION_FAILURE"],
  ])("count the requests rejected by the gateway, by their value in the access log: %s", (name, responseType) => {
    const [, { Properties }] = template.one("AWS::Logs::MetricFilter", ({ FilterPattern }) =>
      FilterPattern.endsWith(`= "${responseType}" }`),
    );
    const { DestinationArn, Format } = template.only("AWS::ApiGateway::Stage").AccessLogSetting;
    expect(flat(DestinationArn)).toContain(`<${target(Properties.LogGroupName)}>`);
    const field = /^\{ \$\.(\w+) = "\w+" \}$/.exec(Properties.FilterPattern)?.[1] ?? "";
    expect(JSON.parse(Format)[field]).toBe("$context.error.responseType");
    const [{ MetricName, MetricNamespace }] = Properties.MetricTransformations;
    const watched = watchedBy(name).map(({ Namespace, MetricName: metric }) => `${Namespace} ${metric}`);
    expect(watched).toContain(`${MetricNamespace} ${MetricName}`);
  });

  test("count what Lambda throttled without what Lambda failed to do", () => {
    const [{ MetricName }] = watchedBy("functions-throttled") as [Properties];
    const { FilterPattern } = template.only(
      "AWS::Logs::MetricFilter",
      ({ MetricTransformations: [of] }) => of.MetricName === MetricName,
    );
    expect(FilterPattern).toBe('{ ($.gatewayResponse = "INTEGRATION_FAILURE") && ($.integrationStatus != "5*") }');
  });

  test("use topics to which CloudWatch may publish for alarms of this stack, and EventBridge without a condition", () => {
    for (const { PolicyDocument, Topics } of template.all("AWS::SNS::TopicPolicy")) {
      const allowed = PolicyDocument.Statement.filter(({ Effect }: Properties) => Effect === "Allow");
      expect(allowed.map(({ Principal, Action }: Properties) => `${Principal.Service} ${Action}`)).toEqual([
        "cloudwatch.amazonaws.com sns:Publish",
        ...(target(Topics[0]) === urgent ? ["events.amazonaws.com sns:Publish"] : []),
      ]);
      expect(flat(allowed[0].Condition.ArnLike["aws:SourceArn"])).toBe(
        "arn:<AWS::Partition>:cloudwatch:<AWS::Region>:<AWS::AccountId>:alarm:health-assistant-dev-*",
      );
      // EventBridge satisfies no condition: with one, the event about a lost key would never arrive.
      expect(allowed[1]?.Condition).toBeUndefined();
    }
  });
});

describe("the dashboard", () => {
  const { DashboardBody } = template.only("AWS::CloudWatch::Dashboard");
  const { widgets } = JSON.parse(flat(DashboardBody)) as { widgets: Properties[] };
  const functionsIn = (title: RegExp) => {
    const graph = widgets.find(({ properties }) => title.test(properties.title));
    const lines: unknown[][] = graph?.properties.metrics ?? [];
    const ids = lines.map((line) => line[line.indexOf("FunctionName") + 1]).filter((id) => typeof id === "string");
    return [...new Set(ids.map((id) => String(id).slice(1, -1)))].filter((id) => functionIds.includes(id)).sort();
  };

  test("shows the failures of every function, as the alarms count them", () => {
    const graph = widgets.find(({ properties }) => /^Failures by function or group/.test(properties.title));
    const counted = template
      .all("AWS::Logs::MetricFilter")
      .map(({ MetricTransformations: [{ MetricName }] }) => MetricName)
      .filter((name: string) => name.endsWith("-failures"));
    expect(counted).toHaveLength(8); // five functions and three groups
    expect(graph?.properties.metrics.map(([, name]: string[]) => name).sort()).toEqual(counted.sort());
  });

  test.each([/^p95 by function/, /^GB-seconds by function/])("names every function: %s", (title) => {
    expect(functionsIn(title)).toEqual(functionIds);
  });

  test("shows every metric that the functions write", () => {
    const written = Object.keys(METRICS); // test/unit/metrics-table.test.ts compares them with the written metrics
    expect(written.length).toBeGreaterThan(5);
    const shown = [...JSON.stringify(widgets).matchAll(/"HealthAssistant\W+(\w+)|MetricName=\W+(\w+)/g)];
    const names = shown.map(([, alone, found]) => alone ?? found);
    expect(names).toEqual(expect.arrayContaining(written));
  });

  test("has no duplicate titles and no graph without lines", () => {
    const graphs = widgets.filter(({ type }) => type === "metric").map(({ properties }) => properties);
    expect(new Set(graphs.map(({ title }) => title)).size).toBe(graphs.length);
    expect(graphs.filter(({ metrics }) => metrics.length === 0)).toEqual([]);
  });
});

describe("the saved queries", () => {
  // test/api/log-lines.test.ts compares the fields of the queries with those of the lines.
  const queries = template.all("AWS::Logs::QueryDefinition");

  test("cover the logs of all functions, in a folder named after the stack", () => {
    expect(queries.length).toBeGreaterThan(5);
    const logs = [...new Set(functionIds.map((id) => target(template.properties(id).LoggingConfig.LogGroup)))].sort();
    for (const { Name, LogGroupNames } of queries) {
      expect(Name).toMatch(/^health-assistant-dev\//);
      expect(LogGroupNames.map(target).sort()).toEqual(logs);
    }
  });
});
