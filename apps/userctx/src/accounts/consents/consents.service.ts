import { Injectable } from '@nestjs/common';
import { CONSENT_PURPOSE, type ConsentPurpose } from '@family-watch/domain/accounts/contracts/account';
import type { ConsentDto, ConsentListDto, UpdateConsentDto } from '@family-watch/domain/accounts/dto/consent.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { CONSENT_TEXTS } from './consent-texts.js';
import { ConsentRepository, type ChangedConsent, type Consent } from './consent.repository.js';

/**
 * Manages consents, each purpose separately. A person decides for their own data and, as the owner of a family, for the
 * watches of its children.
 */
@Injectable()
export class ConsentsService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly consents: ConsentRepository,
  ) {}

  /** Returns the caller's consents for all purposes, including purposes that the caller has never decided on. */
  async get({ id: userId }: Principal): Promise<ConsentListDto> {
    const stored = new Map((await this.consents.findByUser(userId)).map((consent) => [consent.purpose, consent]));
    const items = Object.values(CONSENT_PURPOSE).map((purpose) =>
      this.toDto(
        userId,
        stored.get(purpose) ?? {
          purpose,
          granted: false,
          version: 0,
          changedAt: null,
          textVersion: CONSENT_TEXTS[purpose].version,
        },
      ),
    );
    return { items: await Promise.all(items), nextCursor: null };
  }

  /** Grants or withdraws a consent to the current texts. Idempotent: an unchanged value creates no version. */
  async update({ id: userId }: Principal, { purpose, granted }: UpdateConsentDto): Promise<ConsentDto> {
    return this.unitOfWork.run(async () => {
      const before = await this.consents.lock(userId, purpose);
      if (isValid(before) === granted) return this.toDto(userId, before);
      const after: ChangedConsent = {
        purpose,
        granted,
        version: before.version + 1,
        changedAt: Date.now(),
        textVersion: CONSENT_TEXTS[purpose].version,
      };
      await this.consents.save(userId, after);
      return this.toDto(userId, after);
    });
  }

  /**
   * Returns whether the consent for the caller's data is granted. A person decides for the person's own data. For a
   * watch, the owner of the child's family decides. Inside a transaction, a granted consent cannot be withdrawn until
   * the transaction ends.
   * @throws ServiceError WATCH_UNBOUND when the caller is a watch without a binding
   */
  async isGranted(caller: Pick<Principal, 'type' | 'id'>, purpose: ConsentPurpose): Promise<boolean> {
    const { isInTransaction: lockForShare } = this.unitOfWork;
    if (caller.type !== 'watch') return this.consents.isGranted(caller.id, purpose, { lockForShare });
    const governing = await this.consents.findByWatch(Number(caller.id), purpose);
    if (!governing) throw new ServiceError('WATCH_UNBOUND');
    if (!governing.granted || !lockForShare) return governing.granted;
    return this.consents.isGranted(governing.userId, purpose, { lockForShare });
  }

  private async toDto(userId: string, consent: Consent): Promise<ConsentDto> {
    const { purpose, version, changedAt } = consent;
    const history = await this.consents.history(userId, purpose);
    return { purpose, granted: isValid(consent), version, text: CONSENT_TEXTS[purpose], changedAt, history };
  }
}

/** Returns false also for a consent to earlier texts. */
function isValid({ purpose, granted, textVersion }: Consent): boolean {
  return granted && textVersion >= CONSENT_TEXTS[purpose].version;
}
