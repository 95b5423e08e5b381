import { Injectable } from '@nestjs/common';
import { CONSENT_HISTORY_LENGTH, type ConsentPurpose } from '@family-watch/domain/accounts/contracts/account';
import { ConsentChangeEntity, ConsentEntity } from '@family-watch/domain/accounts/entities/account.entities';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { CONSENT_TEXTS } from './consent-texts.js';
import { prepared } from '@family-watch/domain/kernel/contracts/transaction-scope';

const FIND_CONSENT_GRANTED = prepared(
  'SELECT granted AND text_version >= $3 AS granted FROM userctx.consent WHERE user_id = $1 AND purpose = $2',
);

/** The lock delays a withdrawal until the transaction ends. */
const FIND_CONSENT_GRANTED_FOR_SHARE = prepared(`${FIND_CONSENT_GRANTED.sql} FOR SHARE`);

const FIND_CONSENT_GRANTED_BY_WATCH_OWNER =
  prepared(`SELECT family.owner_user_id AS "userId", coalesce(consent.granted AND consent.text_version >= $3, false) AS granted
  FROM userctx.family_child link
  JOIN userctx.family family ON family.family_id = link.family_id
  LEFT JOIN userctx.consent consent ON consent.user_id = family.owner_user_id AND consent.purpose = $2
  WHERE link.did = $1`);

export type Consent = Omit<ConsentEntity, 'userId'>;

/** A consent that the person has granted or withdrawn at least once. */
export type ChangedConsent = Consent & { changedAt: number };

export type ConsentChange = Pick<ConsentChangeEntity, 'version' | 'granted' | 'time' | 'textVersion'>;

/** Stores the consents of each person, and every change of a consent. */
@Injectable()
export class ConsentRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  findByUser(userId: string): Promise<Consent[]> {
    return this.consents.findBy({ userId });
  }

  /** Returns the consent and locks its row until commit. Creates the consent as not granted when it does not exist. */
  async lock(userId: string, purpose: ConsentPurpose): Promise<Consent> {
    const initial = { userId, purpose, granted: false, version: 0, textVersion: CONSENT_TEXTS[purpose].version };
    await this.consents.createQueryBuilder().insert().values(initial).orIgnore().execute();
    return this.consents.findOneOrFail({ where: { userId, purpose }, lock: { mode: 'pessimistic_write' } });
  }

  async save(userId: string, { purpose, granted, version, changedAt, textVersion }: ChangedConsent): Promise<void> {
    await this.consents.update({ userId, purpose }, { granted, version, changedAt, textVersion });
    await this.changes.insert({ userId, purpose, version, granted, time: changedAt, textVersion });
  }

  /** Returns the latest changes, newest first. */
  history(userId: string, purpose: ConsentPurpose): Promise<ConsentChange[]> {
    return this.changes.find({
      select: { version: true, granted: true, time: true, textVersion: true },
      where: { userId, purpose },
      order: { version: 'DESC' },
      take: CONSENT_HISTORY_LENGTH,
    });
  }

  /**
   * Returns whether the consent to the current texts is granted. With `lockForShare`, a withdrawal waits until the current transaction ends.
   */
  async isGranted(
    userId: string,
    purpose: ConsentPurpose,
    { lockForShare }: { lockForShare: boolean },
  ): Promise<boolean> {
    const [consent] = await this.unitOfWork.executor.query<{ granted: boolean }>(
      lockForShare ? FIND_CONSENT_GRANTED_FOR_SHARE : FIND_CONSENT_GRANTED,
      [userId, purpose, CONSENT_TEXTS[purpose].version],
    );
    return consent?.granted ?? false;
  }

  /**
   * Returns the owner of the family of the child that this watch acts for, and whether the owner's consent is granted.
   * Returns null for an unbound watch.
   */
  async findByWatch(did: number, purpose: ConsentPurpose): Promise<{ userId: string; granted: boolean } | null> {
    const rows = await this.unitOfWork.executor.query<{ userId: string; granted: boolean }>(
      FIND_CONSENT_GRANTED_BY_WATCH_OWNER,
      [did, purpose, CONSENT_TEXTS[purpose].version],
    );
    return rows[0] ?? null;
  }

  private get consents() {
    return this.unitOfWork.manager.getRepository(ConsentEntity);
  }

  private get changes() {
    return this.unitOfWork.manager.getRepository(ConsentChangeEntity);
  }
}
