import type { Revocation, RevocationPublisher } from '@family-watch/domain/kernel/contracts/revocation';

/** Injection token of the publisher that notifies all apps of revocations. */
export abstract class UserctxRevocationPublisher implements RevocationPublisher {
  abstract revoke(revocations: Revocation[]): Promise<void>;
}
