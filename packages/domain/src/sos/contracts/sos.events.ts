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
  'userctx.sos.acknowledged': SosFact & { by: PrincipalKey };
  'userctx.sos.resolved': SosFact & { by: PrincipalKey };
}
