import { MAX_IDS_PER_EVENT } from '@family-watch/domain/family-cloud/contracts/family-cloud.events';
import type { FamilyCloudEvents } from '@family-watch/domain/family-cloud/contracts/family-cloud.events';

type ContentEventName = Extract<keyof FamilyCloudEvents, `mcdisk.content.${string}`>;

/**
 * Creates events about many contents of a cloud. Distributes the contents over several events so that each event fits
 * into the outbox.
 */
export function contentEvents<Name extends ContentEventName>(
  name: Name,
  { contentIDs, ...fields }: FamilyCloudEvents[Name],
): { name: Name; key: string; payload: FamilyCloudEvents[Name] }[] {
  const events = [];
  for (let start = 0; start < contentIDs.length; start += MAX_IDS_PER_EVENT) {
    const chunk = contentIDs.slice(start, start + MAX_IDS_PER_EVENT);
    const payload = { ...fields, contentIDs: chunk } as FamilyCloudEvents[Name];
    events.push({ name, key: fields.cloudID, payload });
  }
  return events;
}
