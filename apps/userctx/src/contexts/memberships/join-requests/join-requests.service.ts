import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { IDENTITY_TYPE } from '@family-watch/domain/contacts/contracts/contact';
import { JOIN_REQUEST_TTL_MS } from '@family-watch/domain/families/contracts/join-request';
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
import { validationError, ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx.unit-of-work.js';
import { ipBlock } from '../../accounts/attempts/ip-block.js';
import { AttemptLimiterService } from '../../accounts/attempts/attempt-limiter.service.js';
import { FamilyAccessService } from '../../families/family-access.service.js';
import { FamilyRosterService } from '../../families/family-roster.service.js';
import type { MemberIdentity } from '../../families/family-roster.service.js';
import { MemberProfilesService } from '../../families/member-profiles.service.js';
import { decodeListCursor, encodeListCursor } from '../list-cursor.js';
import { JoinRequestTransitionsService } from './join-request-transitions.service.js';
import { nextJoinRequestState } from './join-request-state.js';
import { toJoinRequestDto } from './join-request-view.js';
import { JoinRequestRepository } from './join-request.repository.js';
import type { JoinRequest } from './join-request.repository.js';
import { FamilyCodesService } from './family-codes.service.js';
import type { CodeTarget, SubmittedFamilyCode } from './family-codes.service.js';

/** Somebody asks to belong to a family: whoever holds a code of it may ask, and its owner alone decides. */
@Injectable()
export class JoinRequestsService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly limiter: AttemptLimiterService,
    private readonly profiles: MemberProfilesService,
    private readonly access: FamilyAccessService,
    private readonly roster: FamilyRosterService,
    private readonly codes: FamilyCodesService,
    private readonly applications: JoinRequestRepository,
    private readonly changes: JoinRequestTransitionsService,
  ) {}

  /**
   * Every try is counted before the verdict, right or wrong. Applying again joins what is under way.
   * @throws ServiceError VALIDATION_FAILED unless there is exactly one code; RATE_LIMITED, CODE_INVALID,
   * ALREADY_MEMBER; APPLICATION_REFUSED for who was rejected and is not invited since; LIMIT_REACHED while too many wait.
   */
  async create(caller: Principal, request: CreateApplicationDto, address: string): Promise<ApplicationDto> {
    const code = this.codeOf(request);
    await this.limiter.consume('family-code.address', ipBlock(address));
    await this.limiter.consume('family-code.account', caller.id);
    const { card } = await this.profiles.get(caller.id);
    const { appellation = card.appellation, identityType = IDENTITY_TYPE.CUSTOM } = request;
    const application = await this.unitOfWork.run(async () => {
      const target = await this.lockTarget(code);
      if (await this.roster.isMember(target.familyId, caller.id)) throw new ServiceError('ALREADY_MEMBER');
      return this.apply(caller.id, target, { ...card, appellation, identityType });
    });
    return toJoinRequestDto(application);
  }

  /**
   * Newest first: the family's for its owner, or the caller's own.
   * @throws ServiceError FAMILY_NOT_FOUND, PERMISSION_MISSING, VALIDATION_FAILED for a cursor that is none.
   */
  async list(caller: Principal, query: ApplicationListQueryDto): Promise<Page<ApplicationDto>> {
    const { familyId, limit = DEFAULT_PAGE_LIMIT } = query;
    const after = decodeListCursor(query.cursor);
    const forOwner = familyId !== undefined;
    if (forOwner) await this.access.requireForFamily(caller, familyId, 'DECIDE_APPLICATIONS');
    const of = forOwner ? { familyId } : { applicantUserId: caller.id };
    const found = await this.applications.findPage(of, after, limit + 1);
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    const nextCursor = last ? encodeListCursor({ createdAt: last.createdAt, id: last.applicationId }) : null;
    return { items: page.map((each) => toJoinRequestDto(each, { forOwner })), nextCursor };
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
      if (!(await this.changes.apply(application, { type: 'CANCEL' }))) throw new ServiceError('APPLICATION_STATE');
    });
  }

  private codeOf({ inviteCode, familyCode }: CreateApplicationDto): SubmittedFamilyCode {
    if (inviteCode !== undefined && familyCode === undefined) return this.codes.digestInvitation(inviteCode);
    if (familyCode !== undefined && inviteCode === undefined) return this.codes.digestWatchCode(familyCode);
    throw validationError('familyCode', 'isOneCode', 'give either familyCode or inviteCode');
  }

  /** Where the code leads, with that family locked. */
  private async lockTarget(code: SubmittedFamilyCode): Promise<CodeTarget> {
    const now = Date.now();
    const met = await this.codes.find(code, now);
    if (met) await this.roster.lock(met.familyId);
    // Read again: watch or invitation may be gone since.
    const target = met && (await this.codes.find(code, now));
    if (target?.familyId !== met?.familyId || !target) throw new ServiceError('CODE_INVALID');
    return target;
  }

  private async apply(applicantUserId: string, target: CodeTarget, card: MemberIdentity): Promise<JoinRequest> {
    const { familyId, cid, did, invitationId, invitedAt } = target;
    const before = await this.applications.findByApplicant(familyId, applicantUserId);
    const invited = invitedAt !== null && invitedAt > (before?.changedAt ?? 0);
    const state = nextJoinRequestState(before?.state, { type: 'APPLY', invited });
    if (state === null) throw new ServiceError('APPLICATION_REFUSED');
    const createdAt = Date.now();
    if (before?.state === state && before.expiresAt > createdAt) return before;
    const pending = await this.applications.findPending(familyId);
    if (pending.length >= FAMILY_LIMITS.pendingApplications) throw new ServiceError('LIMIT_REACHED');
    const application: JoinRequest = {
      applicationId: before?.applicationId ?? randomUUID(),
      familyId,
      applicantUserId,
      state,
      cid,
      did,
      invitationId,
      ...card,
      identityType: card.identityType as JoinRequest['identityType'],
      createdAt,
      expiresAt: createdAt + JOIN_REQUEST_TTL_MS,
      changedAt: createdAt,
    };
    await this.changes.create(application);
    return application;
  }
}
