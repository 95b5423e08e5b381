import type { Revocation, RevocationFeed, TokenIdentity } from '@family-watch/domain/kernel/contracts/revocation';

/** Revocation feed that the test controls. */
export class InProcessRevocations implements RevocationFeed {
  private readonly revocations: Revocation[] = [];
  private readonly revokedListeners = new Set<(revocation: Revocation) => void>();
  private readonly freshnessListeners = new Set<(fresh: boolean) => void>();
  private fresh = true;

  get isFresh(): boolean {
    return this.fresh;
  }

  isRevoked({ principal, sessionId, issuedAt }: TokenIdentity): boolean {
    return this.revocations.some(({ scope, time }) =>
      'sessionId' in scope ? scope.sessionId === sessionId : scope.principal === principal && issuedAt < time,
    );
  }

  onRevoked(listener: (revocation: Revocation) => void): () => void {
    this.revokedListeners.add(listener);
    return () => this.revokedListeners.delete(listener);
  }

  onFreshnessChange(listener: (fresh: boolean) => void): () => void {
    this.freshnessListeners.add(listener);
    return () => this.freshnessListeners.delete(listener);
  }

  revoke(scope: Revocation['scope'], time: number): void {
    const revocation = { id: crypto.randomUUID(), scope, time };
    this.revocations.push(revocation);
    for (const listener of this.revokedListeners) listener(revocation);
  }

  setFresh(fresh: boolean): void {
    this.fresh = fresh;
    for (const listener of this.freshnessListeners) listener(fresh);
  }
}
