/** `Signals` of the event bus, to every process. */
export const SIGNALS = Symbol('Signals');

/** `Signals` to the other nodes of the gateway: what one of them publishes it does not hear itself. */
export const PEERS = Symbol('Peers');

/** `RevocationFeed` of this process. */
export const REVOCATION_FEED = Symbol('RevocationFeed');

/** `Clock`: what the gateway takes for the time. */
export const CLOCK = Symbol('Clock');
