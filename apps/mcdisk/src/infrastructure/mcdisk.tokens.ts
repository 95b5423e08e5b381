/** Injects the key source of access tokens, which also verifies tickets: userctx signs both with the same keys. */
export const TICKET_KEYS = Symbol('TicketKeys');
