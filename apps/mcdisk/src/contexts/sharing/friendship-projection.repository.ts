import { Injectable } from '@nestjs/common';
import type { FriendEvents } from '@family-watch/domain/friends/contracts/friend.events';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';

type Friendship = FriendEvents['userctx.friendship.changed'];

/** Projection of friendships between children, from events of userctx. */
@Injectable()
export class FriendshipProjectionRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /**
   * Stores a friendship unless a newer version is stored. Stores also the time at which the friendship last ended,
   * because earlier grants stay invalid when the friendship is renewed.
   */
  async upsertIfNewer({ friendshipId, version, sides, active, time }: Friendship): Promise<void> {
    const [one, other] = sides.map(({ cid }) => cid).sort();
    await this.unitOfWork.executor.query(
      `INSERT INTO mcdisk.friendship AS stored (friendship_id, version, one_cid, other_cid, active, ended_at)
       VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (friendship_id) DO UPDATE
         SET version = excluded.version, active = excluded.active,
             ended_at = coalesce(excluded.ended_at, stored.ended_at)
         WHERE stored.version < excluded.version`,
      [friendshipId, version, one, other, active, active ? null : time],
    );
  }

  /** Returns the stored versions of these friendships; one that is not stored is omitted. */
  async findVersions(friendshipIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await this.unitOfWork.executor.query<{ friendshipId: string; version: number }>(
      `SELECT friendship_id AS "friendshipId", version FROM mcdisk.friendship
        WHERE friendship_id::text = ANY($1::text[])`,
      [friendshipIds],
    );
    return new Map(rows.map(({ friendshipId, version }) => [friendshipId, version]));
  }

  async deleteByChild(cid: string): Promise<void> {
    await this.unitOfWork.executor.query('DELETE FROM mcdisk.friendship WHERE one_cid = $1 OR other_cid = $1', [cid]);
  }
}
