/**
 * Injection token of the key source for access tokens. It also verifies tickets, because userctx signs both with the
 * same keys.
 */
export const TICKET_KEYS = Symbol('TicketKeys');
