/*
 * The exports of the published package. They are stable: an export changes as the REST API does, never within a major
 * version. Everything else is internal.
 */
export { MAP_SERVICES, mapLinksOf } from '@family-watch/domain/locations/contracts/map-links';
export type { MapService } from '@family-watch/domain/locations/contracts/map-links';
export { ApiError, isRetryable, NetworkError } from './api-error.js';
export type { Fetch } from './rest/authorized-fetch.js';
export { createClient } from './rest/client.js';
export type { FamilyWatchClient, IdempotentRequestOptions, RequestOptions } from './rest/client.js';
export { envelopeData, responseData } from './rest/response-data.js';
export { createRestClient } from './rest/rest-client.js';
export type { RestClient, RestClientOptions } from './rest/rest-client.js';
export type { Schema } from './rest/schemas.js';
export { Backoff } from './socket/backoff.js';
export { CumulativeAck } from './socket/cumulative-ack.js';
export type {
  ClientEvent,
  DeliveredMessage,
  DeliveredPayload,
  SentPayload,
  SuccessResponseTo,
} from './socket/delivered-payloads.js';
export { GatewayClient } from './socket/gateway-client.js';
export type { ConnectionEvents, GatewayClientOptions } from './socket/gateway-client.js';
export { MailboxCursor } from './socket/mailbox-cursor.js';
export type { StoredCursor } from './socket/mailbox-cursor.js';
export { RefreshingTokenSource } from './tokens/refreshing-token-source.js';
export type { IssuedToken, RefreshingTokenSourceOptions } from './tokens/refreshing-token-source.js';
export type { AccessToken, TokenSource } from './tokens/token-source.js';
export { restoreUserSession, userSession } from './tokens/user-session.js';
export { UserTokenSource } from './tokens/user-token-source.js';
export type { SessionTokens, UserTokenSourceOptions } from './tokens/user-token-source.js';
export { enrolWatch, watchTokenSource } from './watch/watch-identity.js';
export type { WatchClaims } from './watch/watch-identity.js';
export { WatchKey } from './watch/watch-key.js';
export type { WebCryptoKeyPair } from './watch/watch-key.js';
