import { Injectable } from '@nestjs/common';
import { CONSENT_HISTORY_LENGTH } from '@family-watch/domain/consents/contracts/consent';
import type { ConsentPurpose } from '@family-watch/domain/consents/contracts/consent';
import { UserctxUnitOfWork } from '../../infrastructure/userctx.unit-of-work.js';

/** Times in Unix milliseconds. */
export interface Consent {
  purpose: ConsentPurpose;
  granted: boolean;
  version: number;
  changedAt: number | null;
}

export interface ConsentChange {
  version: number;
  granted: boolean;
  time: number;
}

/** Stores the consents of each person, and every change of a consent. */
@Injectable()
export class ConsentRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  findByUser(userId: string): Promise<Consent[]> {
    return this.unitOfWork.executor.query<Consent>(`select ${COLUMNS} from userctx.consent where user_id = $1`, [
      userId,
    ]);
  }

  /** Returns the consent and locks it until commit. Creates the consent when it does not exist. */
  async lock(userId: string, purpose: ConsentPurpose): Promise<Consent> {
    await this.unitOfWork.executor.query(
      `insert into userctx.consent (user_id, purpose, granted, version) values ($1, $2, false, 0)
       on conflict on constraint consent_pk do nothing`,
      [userId, purpose],
    );
    const [consent] = await this.unitOfWork.executor.query<Consent>(
      `select ${COLUMNS} from userctx.consent where user_id = $1 and purpose = $2 for update`,
      [userId, purpose],
    );
    if (!consent) throw new Error('The consent was not found after its insert');
    return consent;
  }

  async save(userId: string, { purpose, granted, version, changedAt }: Consent): Promise<void> {
    await this.unitOfWork.executor.query(
      'update userctx.consent set granted = $3, version = $4, changed_at = $5 where user_id = $1 and purpose = $2',
      [userId, purpose, granted, version, changedAt],
    );
    await this.unitOfWork.executor.query(
      'insert into userctx.consent_change (user_id, purpose, version, granted, time) values ($1, $2, $3, $4, $5)',
      [userId, purpose, version, granted, changedAt],
    );
  }

  /** Returns the latest changes, newest first. */
  history(userId: string, purpose: ConsentPurpose): Promise<ConsentChange[]> {
    return this.unitOfWork.executor.query<ConsentChange>(
      `select version, granted, time from userctx.consent_change where user_id = $1 and purpose = $2
        order by version desc limit $3`,
      [userId, purpose, CONSENT_HISTORY_LENGTH],
    );
  }

  /**
   * Returns whether the consent is granted. With `lockForShare`, a withdrawal waits until the current transaction ends.
   */
  async isGranted(
    userId: string,
    purpose: ConsentPurpose,
    { lockForShare }: { lockForShare: boolean },
  ): Promise<boolean> {
    const [consent] = await this.unitOfWork.prepared.query<{ granted: boolean }>(
      lockForShare ? FIND_GRANTED_FOR_SHARE : FIND_GRANTED,
      [userId, purpose],
    );
    return consent?.granted ?? false;
  }

  /**
   * Returns the owner of the family of the child that this watch acts as, and whether the owner's consent is granted.
   * Returns null for an unbound watch.
   */
  async findByWatch(did: number, purpose: ConsentPurpose): Promise<{ userId: string; granted: boolean } | null> {
    const rows = await this.unitOfWork.prepared.query<{ userId: string; granted: boolean }>(
      FIND_GRANTED_BY_WATCH_OWNER,
      [did, purpose],
    );
    return rows[0] ?? null;
  }
}

const COLUMNS = 'purpose, granted, version, changed_at as "changedAt"';

const FIND_GRANTED = 'select granted from userctx.consent where user_id = $1 and purpose = $2';
const FIND_GRANTED_FOR_SHARE = `${FIND_GRANTED} for share`;
const FIND_GRANTED_BY_WATCH_OWNER = `select family.owner_user_id as "userId", coalesce(consent.granted, false) as granted
  from userctx.family_child link
  join userctx.family family on family.family_id = link.family_id
  left join userctx.consent consent on consent.user_id = family.owner_user_id and consent.purpose = $2
  where link.did = $1`;
