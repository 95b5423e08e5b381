import { Injectable } from '@nestjs/common';
import { IsNull, MoreThan } from 'typeorm';
import type { Phone, SmsScene } from '@family-watch/domain/accounts/contracts/account';
import { SmsChallengeEntity } from '@family-watch/domain/accounts/entities/account.entities';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx-infrastructure.js';

/** Maximum number of guesses per challenge, correct ones included. */
const MAX_TRIES = 5;

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
    return this.unitOfWork.manager.findOneBy(SmsChallengeEntity, {
      areaCode,
      phoneNumber,
      scene,
      consumedAt: IsNull(),
      createdAt: MoreThan(createdAfter),
    });
  }

  /**
   * Replaces the phone number's earlier challenge of this scene, which becomes invalid. Replaces only a challenge that is
   * used, that was created at `createdBefore` or earlier, or that has the id `replaceable`.
   * @returns false when another request has created a challenge meanwhile
   */
  async replace(challenge: NewSmsChallenge, createdBefore: number, replaceable: string | null): Promise<boolean> {
    const { challengeId, areaCode, phoneNumber, scene, digest, createdAt, expiresAt } = challenge;
    const rows = await this.unitOfWork.executor.query(
      `INSERT INTO userctx.sms_challenge AS previous
         (challenge_id, area_code, phone_number, scene, digest, tries, created_at, expires_at, consumed_at)
       VALUES ($1, $2, $3, $4, $5, 0, $6, $7, NULL)
       ON CONFLICT (area_code, phone_number, scene) DO UPDATE SET
         challenge_id = excluded.challenge_id, digest = excluded.digest, tries = 0, created_at = excluded.created_at,
         expires_at = excluded.expires_at, consumed_at = NULL
       WHERE previous.consumed_at IS NOT NULL OR previous.created_at <= $8 OR previous.challenge_id = $9
       RETURNING 1`,
      [challengeId, areaCode, phoneNumber, scene, digest, createdAt, expiresAt, createdBefore, replaceable],
    );
    return rows.length === 1;
  }

  /**
   * Counts one guess in one statement, so that at most five concurrent guesses are evaluated.
   * @returns the data to compare with, or undefined when the challenge accepts no more guesses
   */
  async incrementTries(
    challengeId: string,
    scene: SmsScene,
    now: number,
  ): Promise<(Phone & Pick<SmsChallengeEntity, 'digest'>) | undefined> {
    const [row] = await this.unitOfWork.executor.query<Phone & Pick<SmsChallengeEntity, 'digest'>>(
      `UPDATE userctx.sms_challenge SET tries = tries + 1
       WHERE challenge_id = $1 AND scene = $2 AND tries < $3 AND expires_at > $4 AND consumed_at IS NULL
       RETURNING area_code AS "areaCode", phone_number AS "phoneNumber", digest`,
      [challengeId, scene, MAX_TRIES, now],
    );
    return row;
  }

  /** Returns false when another request consumed the challenge first or a newer code has replaced it. */
  async consume(challengeId: string, now: number): Promise<boolean> {
    const rows = await this.unitOfWork.executor.query(
      `UPDATE userctx.sms_challenge SET consumed_at = $2
       WHERE challenge_id = $1 AND consumed_at IS NULL AND expires_at > $2 RETURNING 1`,
      [challengeId, now],
    );
    return rows.length === 1;
  }

  async prune(createdBefore: number): Promise<void> {
    await this.unitOfWork.executor.query('DELETE FROM userctx.sms_challenge WHERE created_at < $1', [createdBefore]);
  }
}
