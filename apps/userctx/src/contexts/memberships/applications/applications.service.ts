import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { IDENTITY_TYPE } from '@family-watch/domain/contacts/contracts/contact';
import { FAMILY_APPLICATION_LIFETIME_MS } from '@family-watch/domain/families/contracts/family-application';
import { FAMILY_LIMITS } from '@family-watch/domain/families/contracts/family-limits';
import type {
  ApplicationDto,
  ApplicationListQueryDto,
  CreateApplicationDto,
} from '@family-watch/domain/families/dto/application.dto';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { DEFAULT_PAGE_LIMIT } from '@family-watch/domain/kernel/contracts/pagination';
import type { Page } from '@family-watch/domain/kernel/contracts/pagination';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { brokenRule, ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx.unit-of-work.js';
import { addressBlock } from '../../accounts/attempts/address-block.js';
import { AttemptLimiter } from '../../accounts/attempts/attempt-limiter.service.js';
import { FamilyAccess } from '../../families/family.access.js';
import { FamilyRoster } from '../../families/family-roster.service.js';
import type { MemberCard } from '../../families/family-roster.service.js';
import { MemberProfiles } from '../../families/member-profiles.service.js';
import { decodePlace, encodePlace } from '../list-place.js';
import { ApplicationChanges } from './application-changes.service.js';
import { stepApplication } from './application-state.js';
import { toApplication } from './application-view.js';
import { ApplicationRepository } from './application.repository.js';
import type { FamilyApplication } from './application.repository.js';
import { FamilyCodes } from './family-codes.service.js';
import type { CodeTarget, GivenCode } from './family-codes.service.js';

/** Somebody asks to belong to a family: whoever holds a code of it may ask, and its owner alone decides. */
@Injectable()
export class ApplicationsService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly limiter: AttemptLimiter,
    private readonly profiles: MemberProfiles,
    private readonly access: FamilyAccess,
    private readonly roster: FamilyRoster,
    private readonly codes: FamilyCodes,
    private readonly applications: ApplicationRepository,
    private readonly changes: ApplicationChanges,
  ) {}

  /**
   * Every try is counted before the verdict, right or wrong. Applying again joins what is under way.
   * @throws ServiceError VALIDATION_FAILED unless there is exactly one code; RATE_LIMITED, CODE_INVALID,
   * ALREADY_MEMBER; APPLICATION_REFUSED for who was rejected and is not invited since; LIMIT_REACHED while too many wait.
   */
  async create(caller: Principal, request: CreateApplicationDto, address: string): Promise<ApplicationDto> {
    const code = this.codeOf(request);
    await this.limiter.consume('family-code.address', addressBlock(address));
    await this.limiter.consume('family-code.account', caller.id);
    const { card } = await this.profiles.get(caller.id);
    const { appellation = card.appellation, identityType = IDENTITY_TYPE.CUSTOM } = request;
    const application = await this.unitOfWork.run(async () => {
      const target = await this.lockTarget(code);
      if (await this.roster.isMember(target.familyId, caller.id)) throw new ServiceError('ALREADY_MEMBER');
      return this.apply(caller.id, target, { ...card, appellation, identityType });
    });
    return toApplication(application);
  }

  /**
   * Newest first: the family's for its owner, or the caller's own.
   * @throws ServiceError FAMILY_NOT_FOUND, PERMISSION_MISSING, VALIDATION_FAILED for a cursor that is none.
   */
  async list(caller: Principal, query: ApplicationListQueryDto): Promise<Page<ApplicationDto>> {
    const { familyId, limit = DEFAULT_PAGE_LIMIT } = query;
    const after = decodePlace(query.cursor);
    const forOwner = familyId !== undefined;
    if (forOwner) await this.access.forFamily(caller, familyId, 'DECIDE_APPLICATIONS');
    const of = forOwner ? { familyId } : { applicantUserId: caller.id };
    const found = await this.applications.findPage(of, after, limit + 1);
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    const nextCursor = last ? encodePlace({ createdAt: last.createdAt, id: last.applicationId }) : null;
    return { items: page.map((each) => toApplication(each, { forOwner })), nextCursor };
  }

  /** Takes the own application back; again does nothing. @throws ServiceError APPLICATION_NOT_FOUND, APPLICATION_STATE. */
  async cancel(caller: Principal, applicationId: string): Promise<void> {
    if (!isUuid(applicationId)) throw new ServiceError('APPLICATION_NOT_FOUND');
    await this.unitOfWork.run(async () => {
      const found = await this.applications.findOwn(caller.id, applicationId);
      if (!found) throw new ServiceError('APPLICATION_NOT_FOUND');
      await this.roster.lock(found.familyId);
      // Read again: it may have been answered while the lock was waited for.
      const application = await this.applications.findOwn(caller.id, applicationId);
      if (!application) throw new ServiceError('APPLICATION_NOT_FOUND');
      if (!(await this.changes.take(application, { type: 'CANCEL' }))) throw new ServiceError('APPLICATION_STATE');
    });
  }

  private codeOf({ inviteCode, familyCode }: CreateApplicationDto): GivenCode {
    if (inviteCode !== undefined && familyCode === undefined) return this.codes.invitationCode(inviteCode);
    if (familyCode !== undefined && inviteCode === undefined) return this.codes.watchCode(familyCode);
    throw brokenRule('familyCode', 'isOneCode', 'give either familyCode or inviteCode');
  }

  /** Where the code leads, with that family locked. */
  private async lockTarget(code: GivenCode): Promise<CodeTarget> {
    const now = Date.now();
    const met = await this.codes.find(code, now);
    if (met) await this.roster.lock(met.familyId);
    // Read again: watch or invitation may be gone since.
    const target = met && (await this.codes.find(code, now));
    if (target?.familyId !== met?.familyId || !target) throw new ServiceError('CODE_INVALID');
    return target;
  }

  private async apply(applicantUserId: string, target: CodeTarget, card: MemberCard): Promise<FamilyApplication> {
    const { familyId, cid, did, invitationId, invitedAt } = target;
    const before = await this.applications.findOf(familyId, applicantUserId);
    const invited = invitedAt !== null && invitedAt > (before?.changedAt ?? 0);
    const state = stepApplication(before?.state, { type: 'APPLY', invited });
    if (state === null) throw new ServiceError('APPLICATION_REFUSED');
    const createdAt = Date.now();
    if (before?.state === state && before.expiresAt > createdAt) return before;
    const pending = await this.applications.pendingOf(familyId);
    if (pending.length >= FAMILY_LIMITS.pendingApplications) throw new ServiceError('LIMIT_REACHED');
    const application: FamilyApplication = {
      ...{ applicationId: before?.applicationId ?? randomUUID(), familyId, applicantUserId, state },
      ...{ cid, did, invitationId, ...card, identityType: card.identityType as FamilyApplication['identityType'] },
      ...{ createdAt, expiresAt: createdAt + FAMILY_APPLICATION_LIFETIME_MS, changedAt: createdAt },
    };
    await this.changes.begin(application);
    return application;
  }
}
