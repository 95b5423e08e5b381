import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { textArray } from '@family-watch/platform/database/binary-array';
import type { GatewayUnitOfWork } from '../../infrastructure/gateway-infrastructure.js';

/** The highest sequence number of a mailbox. */
export interface MailboxHead {
  principal: PrincipalKey;
  head: number;
}

const MAX_CACHED_HEADS = 100_000;

/** Locks the head rows of mailboxes. Only the transaction that has locked a head may add messages to its mailbox. */
export class MailboxHeadRepository {
  /** Cache of principals whose head rows exist. */
  private readonly cachedPrincipals = new Set<PrincipalKey>();

  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /**
   * Locks the heads until the end of the current transaction, ordered by principal, and returns them. Missing heads are
   * inserted first: a transaction that has locked one head and then waits for the insertion of another head could
   * deadlock.
   */
  async lock(principals: Iterable<PrincipalKey>): Promise<Map<PrincipalKey, number>> {
    const keys = [...new Set(principals)];
    if (!keys.every((key) => this.cachedPrincipals.has(key))) await this.insertMissing(keys);
    const locked = await this.unitOfWork.prepared.query<MailboxHead>(LOCK_HEADS, [textArray(keys)]);
    if (locked.length < keys.length) {
      // Head rows were deleted after they were cached: a retry of the request inserts the rows again.
      this.cachedPrincipals.clear();
      throw new Error(`${keys.length - locked.length} mailbox heads are missing`);
    }
    return new Map(locked.map(({ principal, head }) => [principal, head]));
  }

  private async insertMissing(keys: readonly PrincipalKey[]): Promise<void> {
    await this.unitOfWork.prepared.query(INSERT_MISSING, [textArray(keys)]);
    this.unitOfWork.afterCommit(() => {
      if (this.cachedPrincipals.size > MAX_CACHED_HEADS) this.cachedPrincipals.clear();
      for (const key of keys) this.cachedPrincipals.add(key);
    });
  }
}

const INSERT_MISSING = `
  INSERT INTO gateway.mailbox_head (principal)
  SELECT key FROM unnest($1::text[]) AS key
  WHERE NOT EXISTS (SELECT FROM gateway.mailbox_head WHERE principal = key)
  ORDER BY key
  ON CONFLICT DO NOTHING`;

const LOCK_HEADS = `
  SELECT principal, head FROM gateway.mailbox_head
  WHERE principal = ANY($1::text[]) ORDER BY principal FOR UPDATE`;
