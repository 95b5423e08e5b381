import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Any, LessThan, Not } from 'typeorm';
import { PushTokenEntity, PushKeyEntity } from '@family-watch/domain/messages/entities/push.entities';
import { GatewayUnitOfWork } from '../../../infrastructure/gateway-infrastructure.js';
import { DELETE_ALL_BUT_NEWEST_TOKENS, LOCK_USER_TOKENS } from '../notifications.sql.js';

export type PushKey = Omit<PushKeyEntity, 'singleton'>;

/** Push token of one session. */
export type PushToken = Omit<PushTokenEntity, 'digest' | 'createdAt'>;

/** Stores push tokens, and the key pair that identifies this service to Web Push services. */
@Injectable()
export class PushTokenRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /** Serializes changes of this user's tokens until the current transaction ends. */
  async lockUser(userId: string): Promise<void> {
    await this.unitOfWork.executor.query(LOCK_USER_TOKENS, [userId]);
  }

  /**
   * Stores the token. Replaces the session's earlier token of the same service. Reassigns a token that another user has
   * registered, so that a phone shows no more notifications of its previous user.
   * @param now Unix milliseconds
   */
  async replace(token: PushToken, now: number): Promise<void> {
    const digest = createHash('sha256').update(`${token.service}\n${token.token}`).digest();
    await this.table.delete({ sessionId: token.sessionId, service: token.service, digest: Not(digest) });
    await this.table.upsert({ ...token, digest, createdAt: now }, ['digest']);
  }

  /** Deletes all tokens of a user except the `newest` most recent tokens. */
  async deleteAllButNewest(userId: string, newest: number): Promise<void> {
    await this.unitOfWork.executor.query(DELETE_ALL_BUT_NEWEST_TOKENS, [userId, newest]);
  }

  findByUsers(userIds: readonly string[]): Promise<PushToken[]> {
    return this.table.findBy({ userId: Any(userIds) });
  }

  /** Deletes a token of the user; returns false when the user has no such token. `tokenId` is a UUID. */
  async delete(userId: string, tokenId: string): Promise<boolean> {
    const { affected } = await this.table.delete({ userId, tokenId });
    return affected === 1;
  }

  async deleteInvalid(tokenIds: readonly string[]): Promise<void> {
    await this.table.delete({ tokenId: Any(tokenIds) });
  }

  async deleteBySession(sessionId: string): Promise<void> {
    await this.table.delete({ sessionId });
  }

  /**
   * Deletes tokens registered before `time` (Unix milliseconds); apps that are still used have registered their tokens
   * again since.
   */
  async prune(time: number): Promise<void> {
    await this.table.delete({ createdAt: LessThan(time) });
  }

  /** Returns the VAPID key pair of this service for Web Push. */
  findKey(): Promise<PushKey | null> {
    return this.unitOfWork.manager.findOneBy(PushKeyEntity, { singleton: true });
  }

  /** Inserts the key pair if none is stored. If several nodes insert a key pair concurrently, the first one is kept. */
  async insertKeyIfAbsent({ publicKey, sealedPrivateKey }: PushKey): Promise<void> {
    await this.unitOfWork.manager
      .createQueryBuilder()
      .insert()
      .into(PushKeyEntity)
      .values({ publicKey, sealedPrivateKey })
      .orIgnore()
      .updateEntity(false)
      .execute();
  }

  private get table() {
    return this.unitOfWork.manager.getRepository(PushTokenEntity);
  }
}
