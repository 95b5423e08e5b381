/** What came of asking a watch where it is. */
export const ASK_STATE = { ASKED: 'ASKED', ANSWERED: 'ANSWERED', EXPIRED: 'EXPIRED' } as const;
export type AskState = (typeof ASK_STATE)[keyof typeof ASK_STATE];
