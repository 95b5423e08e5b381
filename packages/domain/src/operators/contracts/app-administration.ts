/** The apps whose event bus and job queues operators see. */
export const APP_NAME = { USERCTX: 'userctx', MCDISK: 'mcdisk', GATEWAY: 'gateway' } as const;
export type AppName = (typeof APP_NAME)[keyof typeof APP_NAME];

/** Maximum number of dead letters in one request. */
export const MAX_DEAD_LETTERS = 100;

/** Maximum number of principals in one diagnosis: the members and watches of the largest family are fewer. */
export const MAX_DIAGNOSED_PRINCIPALS = 100;

/** Maximum number of connections, of sessions and of push registrations in one diagnosis. */
export const MAX_DIAGNOSED_ROWS = 500;
