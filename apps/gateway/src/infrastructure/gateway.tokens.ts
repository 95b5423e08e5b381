/**
 * `PubSub` between the nodes of the gateway. A node does not receive what it publishes itself. All messages between
 * nodes use it, because it keeps their order: a removal arrives before the messages of the same commit.
 */
export const PEER_PUB_SUB = Symbol('Peers');

/** `RevocationFeed` of this process. */
export const REVOCATION_FEED = Symbol('RevocationFeed');

/** `Clock` of the gateway. */
export const CLOCK = Symbol('Clock');
