/** States of a location request. */
export const LOCATION_REQUEST_STATE = { ASKED: 'ASKED', ANSWERED: 'ANSWERED', EXPIRED: 'EXPIRED' } as const;
export type LocationRequestState = (typeof LOCATION_REQUEST_STATE)[keyof typeof LOCATION_REQUEST_STATE];
