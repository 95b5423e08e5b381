import { Injectable } from '@nestjs/common';
import { IsNull, LessThan, MoreThan } from 'typeorm';
import type { Phone, SmsScene } from '@family-watch/domain/accounts/contracts/account';
import { SmsChallengeEntity } from '@family-watch/domain/accounts/entities/account.entities';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx-infrastructure.js';
import { INCREMENT_CHALLENGE_TRIES, REPLACE_CHALLENGE } from '../accounts.sql.js';

/** Maximum number of guesses per challenge, correct ones included. */
const MAX_TRIES_PER_CHALLENGE = 5;

export type NewSmsChallenge = Omit<SmsChallengeEntity, 'tries' | 'consumedAt'>;

@Injectable()
export class SmsChallengeRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Returns the phone number's unused challenge of this scene that was created after `createdAfter`. */
  findUnused(
    { areaCode, phoneNumber }: Phone,
    scene: SmsScene,
    createdAfter: number,
  ): Promise<SmsChallengeEntity | null> {
    return this.challenges.findOneBy({
      areaCode,
      phoneNumber,
      scene,
      consumedAt: IsNull(),
      createdAt: MoreThan(createdAfter),
    });
  }

  /**
   * Replaces the phone number's earlier challenge of this scene, which becomes invalid. Replaces only a challenge that
   * is used, that was created at `createdBefore` or earlier, or that has the id `replaceableId`.
   * @returns false when another request has created a challenge meanwhile
   */
  async replace(challenge: NewSmsChallenge, createdBefore: number, replaceableId: string | null): Promise<boolean> {
    const { challengeId, areaCode, phoneNumber, scene, digest, createdAt, expiresAt } = challenge;
    const rows = await this.unitOfWork.executor.query(REPLACE_CHALLENGE, [
      challengeId,
      areaCode,
      phoneNumber,
      scene,
      digest,
      createdAt,
      expiresAt,
      createdBefore,
      replaceableId,
    ]);
    return rows.length === 1;
  }

  /**
   * Counts one guess in one statement, so that at most five concurrent guesses are evaluated.
   * @returns phone number and digest of the code, or undefined when the challenge is used up, expired or unknown
   */
  async incrementTries(
    challengeId: string,
    scene: SmsScene,
    now: number,
  ): Promise<(Phone & Pick<SmsChallengeEntity, 'digest'>) | undefined> {
    const [row] = await this.unitOfWork.executor.query<Phone & Pick<SmsChallengeEntity, 'digest'>>(
      INCREMENT_CHALLENGE_TRIES,
      [challengeId, scene, MAX_TRIES_PER_CHALLENGE, now],
    );
    return row;
  }

  /** Returns false when another request consumed the challenge first or a newer code has replaced it. */
  async consume(challengeId: string, now: number): Promise<boolean> {
    const { affected } = await this.challenges.update(
      { challengeId, consumedAt: IsNull(), expiresAt: MoreThan(now) },
      { consumedAt: now },
    );
    return affected === 1;
  }

  async prune(createdBefore: number): Promise<void> {
    await this.challenges.delete({ createdAt: LessThan(createdBefore) });
  }

  private get challenges() {
    return this.unitOfWork.manager.getRepository(SmsChallengeEntity);
  }
}
