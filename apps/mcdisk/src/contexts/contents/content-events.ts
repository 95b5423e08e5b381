import { MAX_IDS_PER_EVENT } from '@family-watch/domain/family-cloud/contracts/family-cloud.events';
import type { FamilyCloudEvents } from '@family-watch/domain/family-cloud/contracts/family-cloud.events';

type ContentEventName = Extract<keyof FamilyCloudEvents, `mcdisk.content.${string}`>;

/** Tells one fact about many contents of a cloud, in events that fit the outbox. */
export function contentEvents<Name extends ContentEventName>(
  name: Name,
  { contentIDs, ...fact }: FamilyCloudEvents[Name],
): { name: Name; key: string; payload: FamilyCloudEvents[Name] }[] {
  const events = [];
  for (let start = 0; start < contentIDs.length; start += MAX_IDS_PER_EVENT) {
    const part = contentIDs.slice(start, start + MAX_IDS_PER_EVENT);
    const payload = { ...fact, contentIDs: part } as FamilyCloudEvents[Name];
    events.push({ name, key: fact.cloudID, payload });
  }
  return events;
}
