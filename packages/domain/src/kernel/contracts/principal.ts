/** Type of caller: a person with an account, a watch that acts for its child, or an operator. */
export type PrincipalType = 'user' | 'watch' | 'operator';

/** An authenticated caller, from its verified access token. */
export interface Principal {
  type: PrincipalType;
  /** `userId`, or the `did` as decimal text. */
  id: string;
  /** The session of the access token; for a watch, each token is a session. */
  sessionId: string;
}

/** Identifies a principal in tokens, mailboxes and events: `user:<userId>`, `watch:<did>` or `operator:<id>`. */
export type PrincipalKey = `${PrincipalType}:${string}`;

/** Replaces the key of an erased account in records that others keep. */
export const ERASED_PRINCIPAL: PrincipalKey = 'user:erased';

export function principalKey(principal: Pick<Principal, 'type' | 'id'>): PrincipalKey {
  return `${principal.type}:${principal.id}`;
}

/** Returns type and id of the principal that `key` identifies. */
export function parsePrincipalKey(key: PrincipalKey): Pick<Principal, 'type' | 'id'> {
  const separator = key.indexOf(':');
  return { type: key.slice(0, separator) as PrincipalType, id: key.slice(separator + 1) };
}
