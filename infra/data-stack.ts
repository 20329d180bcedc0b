import { CfnOutput, Fn, Stack, type StackProps } from "aws-cdk-lib";
import { BackupVault, type IBackupVault } from "aws-cdk-lib/aws-backup";
import { type ITable, Table } from "aws-cdk-lib/aws-dynamodb";
import { type IKey, Key } from "aws-cdk-lib/aws-kms";
import { type ISecret, Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Construct } from "constructs";
import { AuditArchive } from "./audit-archive.ts";
import { Backups } from "./backups.ts";
import { Encryption } from "./encryption.ts";
import { pascalCase } from "./pascal-case.ts";
import { Secrets } from "./secrets.ts";
import type { Settings } from "./settings.ts";
import { TABLES, type TableName, Tables } from "./tables.ts";

/** What the service stack refers to in the data stack. */
export interface Data {
  tables: Readonly<Record<TableName, ITable>>;
  secrets: { apiKeys: ISecret; modelKey: ISecret | undefined; fallbackKey: ISecret | undefined };
  /** The key of the tables, secrets and logs. */
  key: IKey;
  backups: { vault: IBackupVault };
  /** The IDs and ARNs of that key and the backups' key: a call to KMS may name a key by either. */
  keyNames: string[];
}

interface DataStackProps extends StackProps {
  settings: Settings;
  /** The name of the stack whose logs are encrypted with this stack's key. */
  serviceName: string;
}

/**
 * What must survive: tables, keys, secrets, backups and the audit archive. The service stack can be deleted and created
 * again without losing any of it.
 */
export class DataStack extends Stack {
  readonly tables: Tables;
  private readonly encryption: Encryption;
  private readonly secrets: Secrets;
  private readonly backups: Backups;

  constructor(scope: Construct, id: string, { settings, serviceName, ...props }: DataStackProps) {
    super(scope, id, { ...props, terminationProtection: settings.deletionProtection });
    this.encryption = new Encryption(this, "Encryption", serviceName, settings);
    const { encryption } = this;
    this.tables = new Tables(this, "Tables", encryption, settings);
    const { patients } = this.tables;
    this.backups = new Backups(this, "Backups", patients, encryption, settings);
    // Nothing can delete what its trail has written, so a creation that fails could not be undone with it.
    if (settings.auditArchiveDays > 0 && !settings.creating) {
      new AuditArchive(this, "Audit", patients, settings);
    }
    this.secrets = new Secrets(this, "Secrets", encryption, settings);
  }

  /**
   * Refers to everything in this stack from another stack.
   *
   * Each reference imports an export with a fixed name, `<stack>:<output>`. CloudFormation neither removes an export
   * that is in use nor changes its value, so what the service uses cannot be replaced under it. All exports exist,
   * whether or not the current service uses them: an earlier release may, when it is deployed again.
   *
   * @param scope of the stack that refers to them
   */
  referredToBy(scope: Construct): Data {
    const imported = new Construct(scope, "Data");
    const { tables, secrets, encryption, backups } = this;
    const table = (name: TableName): ITable => {
      const { tableName, tableStreamArn } = tables[name];
      const pascal = pascalCase(name);
      return Table.fromTableAttributes(imported, pascal, {
        tableName: this.output(`${pascal}Table`, tableName),
        ...(tableStreamArn && { tableStreamArn: this.output(`${pascal}Stream`, tableStreamArn) }),
      });
    };
    const secret = (name: string, { secretArn }: ISecret, description: string) =>
      Secret.fromSecretCompleteArn(imported, name, this.output(name, secretArn, description));
    const { apiKeys, modelKey, fallbackKey } = secrets;
    const keyArn = this.output("Key", encryption.key.keyArn);
    // The IDs are outputs of their own, since cfn-lint knows no value that `Fn::Split` could take from an import.
    const keyIds = [this.output("KeyId", encryption.key.keyId), this.output("BackupsKeyId", backups.key.keyId)];
    return {
      tables: Object.fromEntries(TABLES.map((name) => [name, table(name)])) as Record<TableName, ITable>,
      secrets: {
        apiKeys: secret("ApiKeysSecret", apiKeys, "JSON object: client name to API key"),
        modelKey: modelKey && secret("ModelKeySecret", modelKey, "Put the model provider's key here"),
        fallbackKey:
          fallbackKey && secret("FallbackKeySecret", fallbackKey, "Put the fallback model provider's key here"),
      },
      key: Key.fromKeyArn(imported, "Key", keyArn),
      backups: {
        vault: BackupVault.fromBackupVaultName(imported, "Vault", this.output("Vault", backups.vault.backupVaultName)),
      },
      keyNames: [...keyIds, keyArn, this.output("BackupsKey", backups.key.keyArn)],
    };
  }

  /** Publishes a value, and refers to it from another stack. */
  private output(name: string, value: string, description?: string): string {
    const exportName = `${this.stackName}:${name}`;
    new CfnOutput(this, name, { value, exportName, ...(description && { description }) });
    return Fn.importValue(exportName);
  }
}
