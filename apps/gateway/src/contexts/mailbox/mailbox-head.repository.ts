import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { textArray } from '@family-watch/platform/database/binary-array';
import type { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';

/** How far a mailbox reaches. */
export interface MailboxHead {
  principal: PrincipalKey;
  head: number;
}

const MAX_KNOWN = 100_000;

/** The rows that number mailboxes: whoever has locked one is the only one who adds to its mailbox. */
export class MailboxHeadRepository {
  /** Principals whose heads are known to be there; a cache. */
  private readonly known = new Set<PrincipalKey>();

  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /**
   * Locks the heads in the order of their names, until the open unit of work has ended, and says how far they reach.
   * Those that are missing are made first: whoever held the lock of a head and then waited for another to be made
   * could wait for somebody who waits for that lock.
   */
  async lock(principals: Iterable<PrincipalKey>): Promise<Map<PrincipalKey, number>> {
    const names = [...new Set(principals)];
    if (!names.every((name) => this.known.has(name))) await this.make(names);
    const locked = await this.unitOfWork.prepared.query<MailboxHead>(LOCK, [textArray(names)]);
    if (locked.length < names.length) {
      // Deleted since: they are made when the request is repeated.
      this.known.clear();
      throw new Error(`${names.length - locked.length} heads of mailboxes are missing`);
    }
    return new Map(locked.map(({ principal, head }) => [principal, head]));
  }

  private async make(names: readonly PrincipalKey[]): Promise<void> {
    await this.unitOfWork.prepared.query(MAKE, [textArray(names)]);
    this.unitOfWork.afterCommit(() => {
      if (this.known.size > MAX_KNOWN) this.known.clear();
      for (const name of names) this.known.add(name);
    });
  }
}

const MAKE = `
  INSERT INTO gateway.mailbox_head (principal)
  SELECT name FROM unnest($1::text[]) AS name
  WHERE NOT EXISTS (SELECT FROM gateway.mailbox_head WHERE principal = name)
  ORDER BY name
  ON CONFLICT DO NOTHING`;

const LOCK = `
  SELECT principal, head FROM gateway.mailbox_head
  WHERE principal = ANY($1::text[]) ORDER BY principal FOR UPDATE`;
