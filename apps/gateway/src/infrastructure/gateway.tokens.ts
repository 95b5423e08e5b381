/**
 * `Signals` to the other nodes of the gateway: what one of them publishes it does not hear itself. All of them by this
 * one way, which keeps their order: a removal is heard before the messages of the same commit.
 */
export const PEER_PUB_SUB = Symbol('Peers');

/** `RevocationFeed` of this process. */
export const REVOCATION_FEED = Symbol('RevocationFeed');

/** `Clock`: what the gateway takes for the time. */
export const CLOCK = Symbol('Clock');
