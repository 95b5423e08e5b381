/** Who acts: a person with an account, a watch that acts as its child, an operator, or the service itself. */
export type PrincipalType = 'user' | 'watch' | 'operator';

/** The caller as its verified access token names it. */
export interface Principal {
  type: PrincipalType;
  /** `userId`, or the decimal text of the `did`. */
  id: string;
  /** The sign-in that the token belongs to; a watch has one per token. */
  sessionId: string;
}

/** `user:<userId>` or `watch:<did>`: how a principal is named in tokens, mailboxes and events. */
export type PrincipalKey = `${PrincipalType}:${string}`;

export function principalKey(principal: Pick<Principal, 'type' | 'id'>): PrincipalKey {
  return `${principal.type}:${principal.id}`;
}
