import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Change, Replacement, ResourceChange } from "@aws-sdk/client-cloudformation";
import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { commitContext } from "../../tools/deploy/commit.ts";
import { lossesIn, lossKind } from "../../tools/deploy/losses.ts";
import { quotaProblem, reservedBy } from "../../tools/deploy/quota.ts";

const PROD = ["-c", "stage=prod"];

describe("a change set", () => {
  const TABLE = "AWS::DynamoDB::Table";
  test.each<[string, ResourceChange, string | undefined]>([
    [
      "replaces a table",
      { Action: "Modify", Replacement: "True", ResourceType: TABLE },
      "The Table Id would be replaced",
    ],
    [
      "might replace a table",
      { Action: "Modify", Replacement: "Conditional", ResourceType: TABLE },
      "might be replaced",
    ],
    [
      "resets a client's keys",
      {
        Action: "Modify",
        Replacement: "False",
        ResourceType: "AWS::SecretsManager::Secret",
        Details: [{ Target: { Attribute: "Properties", Name: "GenerateSecretString", RequiresRecreation: "Never" } }],
      },
      "The Secret Id would get a new value: the API keys",
    ],
    [
      "describes a secret in other words",
      {
        Action: "Modify",
        Replacement: "False",
        ResourceType: "AWS::SecretsManager::Secret",
        Details: [{ Target: { Attribute: "Properties", Name: "Description", RequiresRecreation: "Never" } }],
      },
      undefined,
    ],
    ["might change a table in any way", { Action: "Dynamic", ResourceType: TABLE }, "might be replaced"],
    [
      "removes a table",
      { Action: "Remove", PolicyAction: "Retain", ResourceType: TABLE },
      "would be removed: the service",
    ],
    ["replaces a key", { Action: "Modify", Replacement: "True", ResourceType: "AWS::KMS::Key" }, "could not be read"],
    ["removes a secret", { Action: "Remove", ResourceType: "AWS::SecretsManager::Secret" }, "would stop working"],
    ["removes a vault", { Action: "Remove", ResourceType: "AWS::Backup::BackupVault" }, "lose track of the backups"],
    ["changes a table in place", { Action: "Modify", Replacement: "False", ResourceType: TABLE }, undefined],
    ["adds a table", { Action: "Add", ResourceType: TABLE }, undefined],
    [
      "replaces what holds no data",
      { Action: "Modify", Replacement: "True", ResourceType: "AWS::Lambda::Version" },
      undefined,
    ],
  ])("that %s is judged by what is lost", (_, change, sentence) => {
    const losses = lossesIn([{ Type: "Resource", ResourceChange: { LogicalResourceId: "Id", ...change } }]);
    expect(losses).toEqual(sentence ? [{ logicalId: "Id", sentence: expect.stringContaining(sentence) }] : []);
  });
});

describe("what an update removes is left, and the service deployed without it,", () => {
  const TABLE = "AWS::DynamoDB::Table";
  const changes = (...all: ResourceChange[]): Change[] =>
    all.map((change, index) => ({ Type: "Resource", ResourceChange: { LogicalResourceId: `R${index}`, ...change } }));
  const removed: ResourceChange = { Action: "Remove", ResourceType: TABLE };
  const reset = {
    Action: "Modify",
    Replacement: "False",
    ResourceType: "AWS::SecretsManager::Secret",
    Details: [{ Target: { Attribute: "Properties", Name: "SecretString", RequiresRecreation: "Never" } }],
  } as const satisfies ResourceChange;

  test.each<[string, boolean, ResourceChange[]]>([
    ["if it does nothing else", true, []],
    ["if it removes more", true, [{ Action: "Remove", ResourceType: "AWS::KMS::Key" }]],
    ["if it changes others in place", true, [{ Action: "Modify", Replacement: "False", ResourceType: TABLE }]],
    ["if it adds what holds no data", true, [{ Action: "Add", ResourceType: "AWS::IAM::Policy" }]],
    ["not if the same may be added under another name", false, [{ Action: "Add", ResourceType: TABLE }]],
    ["not if it replaces another", false, [{ Action: "Modify", Replacement: "True", ResourceType: TABLE }]],
    ["not if it might replace another", false, [{ Action: "Dynamic", ResourceType: TABLE }]],
    ["not if it resets a secret", false, [reset]],
  ])("%s", (_, only, others) => {
    expect(lossKind(changes(removed, ...others)).onlyRemoves).toBe(only);
  });

  test("which CloudFormation only carries out, like a replacement, when no service uses it", () => {
    const replaced: ResourceChange = { Action: "Modify", Replacement: "True", ResourceType: TABLE };
    expect(lossKind(changes(removed, replaced, reset)).leaving).toEqual(["R0", "R1"]);
  });
});

describe("a vault whose replacement depends on its key", () => {
  const vault = (CausingEntity: string): Change => ({
    Type: "Resource",
    ResourceChange: {
      LogicalResourceId: "Vault",
      ResourceType: "AWS::Backup::BackupVault",
      Action: "Modify",
      Replacement: "Conditional",
      Details: [
        {
          Target: { Attribute: "Properties", Name: "EncryptionKeyArn", RequiresRecreation: "Always" },
          Evaluation: "Dynamic",
          ChangeSource: "ResourceAttribute",
          CausingEntity,
        },
      ],
    },
  });
  const key = (Replacement: Replacement): Change => ({
    Type: "Resource",
    ResourceChange: { LogicalResourceId: "Key", ResourceType: "AWS::KMS::Key", Action: "Modify", Replacement },
  });

  test("is kept when the key's policy or tags change", () => {
    expect(lossesIn([key("False"), vault("Key.Arn")])).toEqual([]);
  });

  test("is lost with a key that is replaced", () => {
    expect(lossesIn([key("True"), vault("Key.Arn")]).map(({ logicalId }) => logicalId)).toEqual(["Key", "Vault"]);
  });

  test("might be lost for a reason that the change set does not contain", () => {
    expect(lossesIn([key("False"), vault("Another.Arn")])).toEqual([
      { logicalId: "Vault", sentence: expect.stringContaining("The BackupVault Vault might be replaced") },
    ]);
  });
});

describe("the commit", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "commit-"));
    jest.spyOn(process.stderr, "write").mockReturnValue(true);
  });
  afterEach(() => {
    jest.restoreAllMocks();
    rmSync(folder, { recursive: true, force: true });
  });
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.test", ...args], {
      cwd: folder,
      encoding: "utf8",
    });
  const commit = () => {
    git("init", "--quiet");
    git("commit", "--quiet", "--allow-empty", "--message", "empty");
  };

  test("that is checked out is stored in the stack, so that the pipeline can return to it", async () => {
    commit();
    expect(await commitContext(folder, PROD)).toEqual(["-c", `commit=${git("rev-parse", "HEAD").trim()}`]);
  });

  test("is the pipeline's, if it gives one", async () => {
    commit();
    expect(await commitContext(folder, [...PROD, "-c", "commit=another"])).toEqual([]);
    expect(process.stderr.write).not.toHaveBeenCalled();
  });

  test.each([
    ["with a change", () => [commit(), writeFileSync(join(folder, "prod.json"), "{}")]],
    ["without a repository", () => {}],
  ])("is not stored if it is not what is deployed: %s", async (_, prepare) => {
    prepare();
    expect(await commitContext(folder, PROD)).toEqual([]);
    expect(process.stderr.write).toHaveBeenCalledWith(
      expect.stringContaining("Commit and push them, and deploy again."),
    );
  });
});

describe("the concurrency quota", () => {
  const account = (unreserved: number) => ({
    ConcurrentExecutions: unreserved,
    UnreservedConcurrentExecutions: unreserved,
  });

  test("must leave 100 unreserved; otherwise, the quota to request is named", () => {
    expect(quotaProblem(26, account(126))).toBeUndefined();
    expect(quotaProblem(26, account(125))).toContain("needs a concurrency quota of 1000");
    expect(quotaProblem(26, account(10))).toContain("--quota-code L-B99A9384 --desired-value 1000\n");
    expect(quotaProblem(0, account(10))).toBeUndefined();
  });

  test("is compared with the sum over all functions of a template", () => {
    const fn = (reserved?: number) => ({
      Type: "AWS::Lambda::Function",
      Properties: reserved === undefined ? {} : { ReservedConcurrentExecutions: reserved },
    });
    expect(reservedBy({ a: fn(20), b: fn(5), c: fn(), d: { Type: "AWS::SNS::Topic" } })).toBe(25);
  });
});
