/** `Signals` of the event bus: wake-ups between the nodes of the gateway. */
export const SIGNALS = Symbol('Signals');

/** `RevocationFeed` of this process. */
export const REVOCATION_FEED = Symbol('RevocationFeed');

/** `Clock`: what the gateway takes for the time. */
export const CLOCK = Symbol('Clock');
