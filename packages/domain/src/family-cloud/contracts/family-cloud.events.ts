import type { PrincipalKey } from '../../kernel/contracts/principal.js';

interface ContentFact {
  cloudID: string;
  /** At most {@link MAX_IDS_PER_EVENT}; a larger change is told in several events. */
  contentIDs: string[];
  by: PrincipalKey;
}

/** Keeps an event's payload below the limit of the outbox. */
export const MAX_IDS_PER_EVENT = 500;

/** Key: `familyId`, which is the `cloudID`. */
export interface FamilyCloudEvents {
  'mcdisk.content.added': ContentFact;
  /** Moved to the recycle bin. */
  'mcdisk.content.recycled': ContentFact;
}
