import type { PrincipalKey } from '../../kernel/contracts/principal.js';

interface SosFact {
  familyId: string;
  cid: string;
  did: number;
  sosId: string;
  /** Unix milliseconds. */
  time: number;
}

/** Key: `familyId`. */
export interface SosEvents {
  'userctx.sos.raised': SosFact;
  /**
   * The next of the contacts, or all of them again, are told, because nobody has acknowledged it yet or the child has
   * called again. `step` counts from 1; `userIds`: whose apps tell it.
   */
  'userctx.sos.escalated': SosFact & { step: number; userIds: string[] };
  'userctx.sos.acknowledged': SosFact & { by: PrincipalKey };
  'userctx.sos.resolved': SosFact & { by: PrincipalKey };
}
