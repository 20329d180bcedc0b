import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { METRICS } from "../../shared/request/metric-registry.ts";
import { eventually } from "../helpers/eventually.ts";
import { echo } from "../helpers/model/scripted-model.ts";
import { startTestService, type TestService } from "../helpers/service/service.ts";
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
    // Sent by EventBridge, in the profile small only, with the setting silentHours only, and a composite alarm.
    const others = ["api-errors", "copy-failed", "key-disabled", "no-traffic", "outage"];
    expect(runbook.sort()).toEqual([...new Set(alarms.map(nameOf)), ...others].sort());
  });

  test.each<[name: string, threshold: number, periods: string, documented: string, measure?: string]>([
    ["chat-failing", 5, "1 of 2", "5 % of the invocations, and at least 3 in 5 minutes", "failed_chat >= 3"],
    ["records-failing", 5, "1 of 2", "5 % of the requests, and at least 3 in 5 minutes", "failed_records >= 3"],
    ["rare-requests-failing", 3, "1 of 2", "3 failures in 5 minutes"],
    ["extras-failing", 3, "1 of 2", "3 failures in 5 minutes"],
    ["chats-down", 50, "2 of 3", "half of the chats, and at least 3 in 5 minutes, failed in 10 of 15", "MAX("],
    ["model-refuses", 3, "1 of 2", "at least 3 in 5 minutes"],
    ["model-errors", 20, "2 of 3", "A fifth of the attempts, and at least 5 in 5 minutes, failed in 10", "failed >= 5"],
    ["verdicts-missing", 10, "1 of 2", "10 messages in an hour"],
    ["slow", 1, "3 of 3", "For 15 minutes", "MAX("],
    ["api-throttled", 20, "1 of 2", "20 requests in 5 minutes"],
    ["functions-throttled", 5, "1 of 2", "5 times in 5 minutes"],
    ["firewall-blocks", 20, "1 of 2", "20 requests in 5 minutes"],
    ["keys-refused", 100, "1 of 2", "100 requests in 5 minutes"],
    ["ids-guessed", 300, "1 of 2", "300 requests in 5 minutes"],
    ["database-throttled", 10, "1 of 2", "10 reads or writes in 5 minutes"],
    ["sweep-missing", 1, "3 of 3", "For 30 minutes, no sweep has succeeded in all its five parts", "completed, 0) < 5"],
    ["sweep-late", 1_800, "2 of 3", "In two of three runs, threads were removed more than half an hour", "Maximum"],
    ["thread-ids-scarce", 3.33, "2 of 3", "3.33 attempts on average", "created >= 20"],
    ["events-given-up", 1, "1 of 2", "in ten attempts"],
    ["handoffs-unanswered", 1, "1 of 2", "was told that the care team is informed, and nobody took over"],
    ["backup-failed", 1, "1 of 2", "failed, expired or was stopped", "NumberOfBackupJobsExpired"],
    ["backup-missing", 1, "2 of 2", "for two days"],
    ["keys-unreadable", 1, "2 of 3", "In 10 of 15 minutes"],
  ])("go off when the runbook says: %s", (name, threshold, periods, documented, measure = "Sum") => {
    for (const { Threshold, DatapointsToAlarm, EvaluationPeriods, Metrics, Statistic } of named(name)) {
      expect([Threshold, `${DatapointsToAlarm} of ${EvaluationPeriods}`]).toEqual([threshold, periods]);
      expect(flat(Metrics ?? Statistic)).toContain(measure);
    }
    expect(rows.find((row) => namesIn(row).includes(name))).toContain(documented);
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

  test("notify the operator when they go off and when they recover", () => {
    for (const alarm of [...alarms.filter((each) => !SIGNS.includes(nameOf(each))), outage]) {
      const { AlarmActions, OKActions, ActionsEnabled = true } = alarm;
      const topic = { Ref: isNotice(alarm) ? notices : urgent };
      expect([AlarmActions, OKActions, ActionsEnabled]).toEqual([[topic], [topic], true]);
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
      ...["api-throttled", "backup-failed", "backup-missing", "events-given-up", "events-late", "extras-failing"],
      ...[
        "firewall-blocks",
        "functions-throttled",
        "handoffs-unanswered",
        "ids-guessed",
        "keys-refused",
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
    // The ARN of each key, and its ID, which is part of the ARN.
    const named = keyId.map((name: Properties) => [
      /\w+Key\w{8}/.exec(JSON.stringify(name))?.[0],
      "Fn::Select" in name,
    ]);
    const keys = template.ofType("AWS::KMS::Key").flatMap(([id]) => [false, true].map((isPart) => [id, isPart]));
    expect(keys).toHaveLength(4);
    expect(named.sort()).toEqual(keys.sort());
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

  test("describe the problem in the message and link to the runbook", () => {
    for (const alarm of alarms) {
      expect(alarm.AlarmDescription).toMatch(
        new RegExp(`^\\w.{30,}\\. What to do: docs/runbook\\.md, Alarms, ${nameOf(alarm)}\\.$`),
      );
    }
  });

  test("have metrics of one period, no search, and more than one period, since metrics can be late", () => {
    for (const alarm of alarms) {
      expect(new Set(metricsOf(alarm).map(({ Period }) => Period)).size).toBeLessThanOrEqual(1);
      expect(flat(alarm.Metrics)).not.toContain("SEARCH");
      expect([nameOf(alarm), alarm.EvaluationPeriods]).not.toEqual([nameOf(alarm), 1]);
    }
  });

  test("treat missing data as a fault, and fill it in, only for scheduled jobs: the sweep and the backup", () => {
    const scheduled = ["backup-missing", "sweep-missing"];
    expect(namesOf(({ TreatMissingData }) => TreatMissingData !== "notBreaching")).toEqual(scheduled);
    expect(namesOf(({ Metrics = "" }) => flat(Metrics).includes("FILL"))).toEqual(scheduled);
  });

  test("watch the duration of every function that callers wait for, except public pages", () => {
    const watched = watchedBy("slow").map(({ Dimensions }) => target(Dimensions[0].Value));
    const routed = Object.entries(functionsByCaller(assembly)).filter(
      ([caller]) => !["sweep", "delivery", "GET /openapi.json", "GET /docs"].includes(caller),
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
    ["functions-throttled", "INTEGRATION_FAILURE"],
  ])("count the requests rejected by the gateway, by their value in the access log: %s", (name, responseType) => {
    const [, { Properties }] = template.one("AWS::Logs::MetricFilter", ({ FilterPattern }) =>
      FilterPattern.includes(`"${responseType}"`),
    );
    const { DestinationArn, Format } = template.only("AWS::ApiGateway::Stage").AccessLogSetting;
    expect(flat(DestinationArn)).toContain(`<${target(Properties.LogGroupName)}>`);
    const field = /^\{ \$\.(\w+) = "\w+" \}$/.exec(Properties.FilterPattern)?.[1] ?? "";
    expect(JSON.parse(Format)[field]).toBe("$context.error.responseType");
    const [{ MetricName, MetricNamespace }] = Properties.MetricTransformations;
    const watched = watchedBy(name).map(({ Namespace, MetricName: metric }) => `${Namespace} ${metric}`);
    expect(watched).toContain(`${MetricNamespace} ${MetricName}`);
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
  const { DashboardBody, DashboardName } = template.only("AWS::CloudWatch::Dashboard");
  const { widgets } = JSON.parse(flat(DashboardBody)) as { widgets: Properties[] };
  const functionsIn = (title: RegExp) => {
    const graph = widgets.find(({ properties }) => title.test(properties.title));
    const lines: unknown[][] = graph?.properties.metrics ?? [];
    const ids = lines.map((line) => line[line.indexOf("FunctionName") + 1]).filter((id) => typeof id === "string");
    return [...new Set(ids.map((id) => String(id).slice(1, -1)))].filter((id) => functionIds.includes(id)).sort();
  };

  test("is named after the stack", () => {
    expect(DashboardName).toBe("health-assistant-dev");
  });

  test("begins with the state of every alarm", () => {
    expect(widgets[0]?.type).toBe("alarm");
    expect(widgets[0]?.properties.alarms).toHaveLength(alarms.length + 1); // and the outage alarm
  });

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
  const queries: Record<string, Properties> = Object.fromEntries(
    template.all("AWS::Logs::QueryDefinition").map((query) => [query.Name.replace("health-assistant-dev/", ""), query]),
  );
  const queryString = (name: string) => String(queries[name]?.QueryString);
  /** The fields that a query reads from a line, without those that CloudWatch adds, whose names begin with @. */
  const fieldsOf = (name: string) => {
    const [, shown = ""] = /^fields (.*)$/m.exec(queryString(name)) ?? [];
    const used = queryString(name).match(/message\.[\w.]+/g) ?? [];
    const all = new Set([...shown.split(/,\s*/).filter((field) => /^\w/.test(field)), ...used]);
    // Only requests with a replaced key or over a quota have these (test/api/keys.test.ts, test/api/quotas.test.ts).
    return [...all].filter((field) => !["message.previousKey", "message.quota"].includes(field));
  };
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());

  /** The fields of the first line about an event logged from now on, as named in a query. */
  async function logged(event: string, act: () => Promise<unknown>): Promise<string[]> {
    const before = service.logs.length;
    await act();
    const found = () =>
      service.logs
        .slice(before)
        .map((line) => JSON.parse(line))
        .find(({ message }) => message?.event === event && (event !== "request" || message.route === "chat"));
    const { message, ...line } = (await eventually(found, (one) => one !== undefined)) ?? { message: {} };
    return [...Object.keys(line), ...Object.keys(message).map((field) => `message.${field}`)];
  }
  const chat = () => service.call("POST", "/chat", { body: { message: "hello" } });
  const chatOnThread = async () => {
    const { threadId } = (await service.call("POST", "/threads", { body: {} })).body;
    await service.call("POST", "/chat", { body: { message: "hello", threadId } });
  };
  const failedChat = async () => {
    service.model.script = () => ({ status: 401 });
    await chat();
    service.model.script = echo;
  };
  const unknownThread = () => service.call("POST", "/chat", { body: { message: "hello", threadId: "00000" } });
  const createPatient = () => service.call("POST", "/patients", { body: { name: "Pat Example" } });

  const CASES: [query: string, event: string, act: () => Promise<unknown>][] = [
    ["slowest-chats", "request", chatOnThread],
    ["top-clients", "request", chat],
    ["clients-at-their-limits", "request", unknownThread],
    ["one-request", "request", chat],
    ["errors-of-the-last-hour", "failure", failedChat],
    ["model-failures", "model-failure", failedChat],
    ["accesses-to-one-patient", "audit", createPatient],
  ];

  test("cover the logs of all functions, in a folder named after the stack", () => {
    const all = template.all("AWS::Logs::QueryDefinition").map(({ Name }) => Name);
    expect(all.sort()).toEqual(CASES.map(([query]) => `health-assistant-dev/${query}`).sort());
    const logs = [...new Set(functionIds.map((id) => target(template.properties(id).LoggingConfig.LogGroup)))].sort();
    for (const { LogGroupNames } of Object.values(queries)) {
      expect(LogGroupNames.map(target).sort()).toEqual(logs);
    }
  });

  test.each(CASES)("use only fields that their log lines have: %s", async (query, event, act) => {
    const [, asked = event] = /message\.event = "([\w-]+)"/.exec(queryString(query)) ?? [];
    expect(asked).toBe(event);
    expect(fieldsOf(query).length).toBeGreaterThan(1);
    expect(await logged(event, act)).toEqual(expect.arrayContaining(fieldsOf(query)));
  });
});
