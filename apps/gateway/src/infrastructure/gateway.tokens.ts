/**
 * `PubSub` between the nodes of the gateway. A node does not receive its own messages. All messages between nodes use
 * this channel, because it keeps their order: nodes are notified of a removed member before they receive the messages
 * of the same commit.
 */
export const PEER_PUB_SUB = Symbol('Peers');

/** `RevocationFeed` of this process. */
export const REVOCATION_FEED = Symbol('RevocationFeed');

/** `Clock` of the gateway. */
export const CLOCK = Symbol('Clock');

/** `ContentSource` of mcdisk; null if the gateway cannot ask mcdisk. */
export const CONTENT_SOURCE = Symbol('ContentSource');
