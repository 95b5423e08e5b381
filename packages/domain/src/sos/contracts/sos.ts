/** How far a call for help has come. `NOTIFYING`: the guardians are being told, until one of them acknowledges. */
export const SOS_STATE = {
  RAISED: 'RAISED',
  NOTIFYING: 'NOTIFYING',
  ACKNOWLEDGED: 'ACKNOWLEDGED',
  RESOLVED: 'RESOLVED',
} as const;
export type SosState = (typeof SOS_STATE)[keyof typeof SOS_STATE];
