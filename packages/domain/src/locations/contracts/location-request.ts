/** What came of asking a watch where it is. */
export const LOCATION_REQUEST_STATE = { ASKED: 'ASKED', ANSWERED: 'ANSWERED', EXPIRED: 'EXPIRED' } as const;
export type LocationRequestState = (typeof LOCATION_REQUEST_STATE)[keyof typeof LOCATION_REQUEST_STATE];
