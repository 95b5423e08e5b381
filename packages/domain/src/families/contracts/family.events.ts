import type { FamilySnapshot } from './membership.js';

export interface FamilyEvents {
  /** Anything about who belongs to the family changed. Key: `familyId`. */
  'userctx.family.changed': FamilySnapshot;
}
