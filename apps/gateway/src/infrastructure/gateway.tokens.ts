/**
 * `PubSub` between the nodes of the gateway. A node does not receive what it publishes itself. All messages between
 * nodes use this one channel, because it keeps their order: nodes learn that a member was removed before they receive
 * the messages of the same commit.
 */
export const PEER_PUB_SUB = Symbol('Peers');

/** `RevocationFeed` of this process. */
export const REVOCATION_FEED = Symbol('RevocationFeed');

/** `Clock` of the gateway. */
export const CLOCK = Symbol('Clock');
