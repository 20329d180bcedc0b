import type { CloudTrail, GetEventSelectorsCommandOutput } from "@aws-sdk/client-cloudtrail";

/**
 * Looks for a trail that reports calls to KMS, which EventBridge, and so the alarm `key-disabled`, receives through
 * CloudTrail only.
 *
 * @returns whether one of the account's trails does, and how many there are
 * @throws errors of the AWS SDK
 */
export async function kmsTrails(cloudTrail: CloudTrail): Promise<{ reports: boolean; trails: number }> {
  const { trailList = [] } = await cloudTrail.describeTrails();
  for (const { TrailARN: Name } of trailList) {
    const { IsLogging } = await cloudTrail.getTrailStatus({ Name });
    if (IsLogging && reportsKms(await cloudTrail.getEventSelectors({ TrailName: Name }))) {
      return { reports: true, trails: trailList.length };
    }
  }
  return { reports: false, trails: trailList.length };
}

/** Whether a trail's selectors, of the basic or the advanced kind, include management events of KMS. */
function reportsKms({ EventSelectors = [], AdvancedEventSelectors = [] }: GetEventSelectorsCommandOutput): boolean {
  return (
    EventSelectors.some(
      ({ IncludeManagementEvents, ExcludeManagementEventSources = [], ReadWriteType }) =>
        IncludeManagementEvents &&
        ReadWriteType !== "ReadOnly" &&
        !ExcludeManagementEventSources.includes("kms.amazonaws.com"),
    ) ||
    AdvancedEventSelectors.some(({ FieldSelectors = [] }) => {
      const selector = (field: string) => FieldSelectors.find(({ Field }) => Field === field);
      return (
        selector("eventCategory")?.Equals?.includes("Management") &&
        !selector("readOnly")?.Equals?.includes("true") &&
        !selector("eventSource")?.NotEquals?.includes("kms.amazonaws.com")
      );
    })
  );
}
