import type { Backup } from "@aws-sdk/client-backup";

/** Enables AWS Backup's advanced features for DynamoDB in the region; earlier backups stay as they are. */
export const ENABLE_ADVANCED_BACKUPS =
  "aws backup update-region-settings --resource-type-management-preference DynamoDB=true";

/**
 * Whether AWS Backup's advanced features for DynamoDB are on in the region. Without them, a backup is encrypted with the
 * table's key instead of the vault's, so that it is lost together with it, and it cannot be copied ("Advanced DynamoDB
 * backup").
 *
 * @throws errors of the AWS SDK
 */
export async function hasAdvancedBackups(backup: Backup): Promise<boolean> {
  const { ResourceTypeManagementPreference: advanced } = await backup.describeRegionSettings({});
  return advanced?.DynamoDB === true;
}
