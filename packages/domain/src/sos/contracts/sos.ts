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
