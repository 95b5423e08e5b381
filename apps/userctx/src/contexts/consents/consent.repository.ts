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

/** What each person has agreed to, and every change of it. */
@Injectable()
export class ConsentRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  findByUser(userId: string): Promise<Consent[]> {
    return this.unitOfWork.executor.query<Consent>(`select ${COLUMNS} from userctx.consent where user_id = $1`, [
      userId,
    ]);
  }

  /** The consent as it stands, made now if nothing was ever said; locked until the unit ends. */
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
    if (!consent) throw new Error('The consent that was just made or met is gone');
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

  /** The last changes, newest first. */
  history(userId: string, purpose: ConsentPurpose): Promise<ConsentChange[]> {
    return this.unitOfWork.executor.query<ConsentChange>(
      `select version, granted, time from userctx.consent_change where user_id = $1 and purpose = $2
        order by version desc limit $3`,
      [userId, purpose, CONSENT_HISTORY_LENGTH],
    );
  }

  /** Does it stand now? `hold` makes a withdrawal wait until the open unit ends. */
  async isGranted(userId: string, purpose: ConsentPurpose, { hold }: { hold: boolean }): Promise<boolean> {
    const [consent] = await this.unitOfWork.prepared.query<{ granted: boolean }>(hold ? GRANTED_HELD : GRANTED, [
      userId,
      purpose,
    ]);
    return consent?.granted ?? false;
  }

  /**
   * Who owns the family of the child that this watch acts as, and whether that person's consent stands now; `null` for
   * an unbound watch.
   */
  async findByWatch(did: number, purpose: ConsentPurpose): Promise<{ userId: string; granted: boolean } | null> {
    const rows = await this.unitOfWork.prepared.query<{ userId: string; granted: boolean }>(OF_WATCH, [did, purpose]);
    return rows[0] ?? null;
  }
}

const COLUMNS = 'purpose, granted, version, changed_at as "changedAt"';

const GRANTED = 'select granted from userctx.consent where user_id = $1 and purpose = $2';
const GRANTED_HELD = `${GRANTED} for share`;
const OF_WATCH = `select family.owner_user_id as "userId", coalesce(consent.granted, false) as granted
  from userctx.family_child link
  join userctx.family family on family.family_id = link.family_id
  left join userctx.consent consent on consent.user_id = family.owner_user_id and consent.purpose = $2
  where link.did = $1`;
