/** How far a call for help has come. `NOTIFYING`: the guardians are being told, until one of them acknowledges. */
export const SOS_STATE = {
  RAISED: 'RAISED',
  NOTIFYING: 'NOTIFYING',
  ACKNOWLEDGED: 'ACKNOWLEDGED',
  RESOLVED: 'RESOLVED',
} as const;
export type SosState = (typeof SOS_STATE)[keyof typeof SOS_STATE];

/** How people are told: by their apps (socket and push), or by SMS to the number among the child's contacts. */
export const SOS_CHANNEL = { APP: 'APP', SMS: 'SMS' } as const;
export type SosChannel = (typeof SOS_CHANNEL)[keyof typeof SOS_CHANNEL];

/** As many of the last steps of a call are shown. */
export const MAX_SOS_STEPS_RETURNED = 100;
