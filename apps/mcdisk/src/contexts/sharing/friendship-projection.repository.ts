import { Injectable } from '@nestjs/common';
import { Any } from 'typeorm';
import { FriendshipProjectionEntity } from '@family-watch/domain/family-cloud/entities/share.entities';
import type { FriendEvents } from '@family-watch/domain/friends/contracts/friend';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import { UPSERT_FRIENDSHIP_IF_NEWER } from './sharing.sql.js';

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
    const parameters = [friendshipId, version, one, other, active, active ? null : time];
    await this.unitOfWork.executor.query(UPSERT_FRIENDSHIP_IF_NEWER, parameters);
  }

  /** Returns the stored versions of these friendships; one that is not stored is omitted. */
  async findVersions(friendshipIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await this.unitOfWork.manager.find(FriendshipProjectionEntity, {
      select: { friendshipId: true, version: true },
      where: { friendshipId: Any(friendshipIds) },
    });
    return new Map(rows.map(({ friendshipId, version }) => [friendshipId, version]));
  }

  async deleteByChild(cid: string): Promise<void> {
    await this.unitOfWork.manager.delete(FriendshipProjectionEntity, [{ oneCid: cid }, { otherCid: cid }]);
  }
}
