/** Injection token of the source of the keys with which userctx signs both access tokens and tickets. */
export const TICKET_KEYS = Symbol('TicketKeys');
