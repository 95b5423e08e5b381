import type { Revocation, RevocationPublisher } from '@family-watch/domain/kernel/contracts/revocation';

/** Injection token: how userctx tells every app at once that access has ended. */
export abstract class UserctxRevocationPublisher implements RevocationPublisher {
  abstract revoke(revocations: Revocation[]): Promise<void>;
}
