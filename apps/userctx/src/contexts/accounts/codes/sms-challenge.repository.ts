import { Injectable } from '@nestjs/common';
import type { Phone } from '@family-watch/domain/accounts/contracts/phone';
import type { SmsScene } from '@family-watch/domain/accounts/contracts/sms-scene';
import { SmsChallengeEntity } from '@family-watch/domain/accounts/entities/sms-challenge.entity';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx.unit-of-work.js';

/** Guesses per challenge, correct ones included (safety table A20). */
const MAX_TRIES = 5;

export type NewSmsChallenge = Omit<SmsChallengeEntity, 'tries' | 'consumedAt'>;

@Injectable()
export class SmsChallengeRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Replaces the phone number's earlier challenge of this scene, which becomes invalid. */
  async replace(challenge: NewSmsChallenge): Promise<void> {
    await this.unitOfWork.manager.upsert(SmsChallengeEntity, { ...challenge, tries: 0, consumedAt: null }, [
      'areaCode',
      'phoneNumber',
      'scene',
    ]);
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
