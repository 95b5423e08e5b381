import type { PrincipalKey } from '../../kernel/contracts/principal.js';

/**
 * States of an SOS. RAISED: the SOS is stored, and the notification of the family has not started. NOTIFYING: members
 * and contacts are notified until one of them acknowledges the SOS.
 */
export const SOS_STATE = {
  RAISED: 'RAISED',
  NOTIFYING: 'NOTIFYING',
  ACKNOWLEDGED: 'ACKNOWLEDGED',
  RESOLVED: 'RESOLVED',
} as const;
export type SosState = (typeof SOS_STATE)[keyof typeof SOS_STATE];

/** How a contact is notified. APP: by socket and push. SMS: to the contact's number in the child's contact list. */
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
   * The next contact is notified, or all contacts again, because no contact has acknowledged the SOS or because the
   * child has raised it again. `step` counts from 1. `userIds`: the users who are notified in the app.
   */
  'userctx.sos.escalated': SosEventPayload & { step: number; userIds: string[] };
  'userctx.sos.acknowledged': SosEventPayload & { by: PrincipalKey };
  'userctx.sos.resolved': SosEventPayload & { by: PrincipalKey };
}
