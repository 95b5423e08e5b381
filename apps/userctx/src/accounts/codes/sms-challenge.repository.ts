import { Injectable } from '@nestjs/common';
import { In, IsNull, LessThan, MoreThan } from 'typeorm';
import type { Phone, SmsScene } from '@family-watch/domain/accounts/contracts/account';
import { dialledForm, formsOf } from '@family-watch/domain/accounts/dto/phone-fields';
import { SmsChallengeEntity } from '@family-watch/domain/accounts/entities/account.entities';
import { insertIfAbsent } from '@family-watch/platform/database/entity-queries';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';

/** An advisory lock, because the rows of the forms of a phone number have no unique key in common. */
const LOCK_CHALLENGES = `SELECT pg_advisory_xact_lock(hashtextextended('sms_challenge ' || $1, 0))`;

const INCREMENT_CHALLENGE_TRIES = `
  UPDATE userctx.sms_challenge SET tries = tries + 1
   WHERE challenge_id = $1 AND scene = $2 AND tries < $3 AND expires_at > $4 AND consumed_at IS NULL
  RETURNING area_code AS "areaCode", phone_number AS "phoneNumber", digest`;

/** Maximum number of guesses per challenge, correct ones included. */
const MAX_TRIES_PER_CHALLENGE = 5;

export type NewSmsChallenge = Omit<SmsChallengeEntity, 'tries' | 'consumedAt'>;

@Injectable()
export class SmsChallengeRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Returns the newest unused challenge of this scene for the phone number, in any form, created after `createdAfter`. */
  findUnused(phone: Phone, scene: SmsScene, createdAfter: number): Promise<SmsChallengeEntity | null> {
    const unused = { ...inAnyForm(phone), scene, consumedAt: IsNull(), createdAt: MoreThan(createdAfter) };
    return this.challenges.findOne({ where: unused, order: { createdAt: 'DESC' } });
  }

  /**
   * Replaces the earlier challenges of this scene for the phone number, in any of its forms, which become invalid. Replaces
   * only challenges that are used, that were created at `createdBefore` or earlier, or that have the id `replaceableId`.
   * @returns false when another request has created a challenge meanwhile
   */
  replace(challenge: NewSmsChallenge, createdBefore: number, replaceableId: string | null): Promise<boolean> {
    const { areaCode, scene } = challenge;
    return this.unitOfWork.run(async () => {
      const { phoneNumber } = dialledForm(challenge);
      await this.unitOfWork.executor.query(LOCK_CHALLENGES, [`${areaCode} ${phoneNumber} ${scene}`]);
      const unused = await this.findUnused(challenge, scene, createdBefore);
      if (unused && unused.challengeId !== replaceableId) return false;
      await this.challenges.delete({ ...inAnyForm(challenge), scene });
      return insertIfAbsent(this.challenges, { ...challenge, tries: 0, consumedAt: null });
    });
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

/** Returns the condition of challenges for all forms of the phone number, because all of them reach one phone. */
function inAnyForm(phone: Phone) {
  return { areaCode: phone.areaCode, phoneNumber: In(formsOf(phone).map(({ phoneNumber }) => phoneNumber)) };
}
