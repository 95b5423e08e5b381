import type { PrincipalKey } from '../../kernel/contracts/principal.js';

/** States of an SOS. `NOTIFYING`: contacts are being notified until one contact acknowledges the SOS. */
export const SOS_STATE = {
  RAISED: 'RAISED',
  NOTIFYING: 'NOTIFYING',
  ACKNOWLEDGED: 'ACKNOWLEDGED',
  RESOLVED: 'RESOLVED',
} as const;
export type SosState = (typeof SOS_STATE)[keyof typeof SOS_STATE];

/** How contacts are notified: in the app (socket and push), or by SMS to their number in the child's contact list. */
export const SOS_CHANNEL = { APP: 'APP', SMS: 'SMS' } as const;
export type SosChannel = (typeof SOS_CHANNEL)[keyof typeof SOS_CHANNEL];

/** Maximum number of escalation steps returned with an SOS; the newest steps are returned. */
export const MAX_SOS_STEPS_RETURNED = 100;

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
