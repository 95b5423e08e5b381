import type { PrincipalKey } from '../../kernel/contracts/principal.js';

interface SosEventPayload {
  familyId: string;
  cid: string;
  did: number;
  sosId: string;
  /** Unix milliseconds. */
  time: number;
}

/** Key: `familyId`. */
export interface SosEvents {
  'userctx.sos.raised': SosEventPayload;
  /**
   * The next contact is notified, or all contacts again, because no contact has acknowledged the SOS or the child has
   * raised it again. `step` counts from 1; `userIds`: the users whose apps are notified.
   */
  'userctx.sos.escalated': SosEventPayload & { step: number; userIds: string[] };
  'userctx.sos.acknowledged': SosEventPayload & { by: PrincipalKey };
  'userctx.sos.resolved': SosEventPayload & { by: PrincipalKey };
}
