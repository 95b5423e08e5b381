/** Provides the key source of access tokens, for tickets: userctx signs both with the same keys. */
export const TICKET_KEYS = Symbol('TicketKeys');
