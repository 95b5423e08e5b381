import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { IDENTITY_TYPE } from '@family-watch/domain/families/contracts/contact';
import {
  JOIN_REQUEST_TTL_MS,
  FAMILY_LIMITS,
  JOIN_REQUEST_RETENTION_MS,
  JOIN_REQUEST_STATE,
  type JoinRequestState,
} from '@family-watch/domain/families/contracts/family';
import { FAMILY_ROLE, MAX_PERMISSIONS_BY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import type {
  ApplicationDto,
  ApplicationListQueryDto,
  CreateApplicationDto,
  ApplicationReferenceDto,
  ApproveApplicationDto,
} from '@family-watch/domain/families/dto/application.dto';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { Page } from '@family-watch/domain/kernel/contracts/pagination';
import { principalKey, type Principal } from '@family-watch/domain/kernel/contracts/principal';
import { validationError, ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { ipBlock } from '@family-watch/platform/http/server/ip-block';
import { decodeTimePage } from '@family-watch/platform/database/page-cursor';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { processRows } from '@family-watch/platform/jobs/process-rows';
import { UserctxUnitOfWork, UserctxOutbox } from '../../infrastructure/userctx-infrastructure.js';
import { AttemptLimiterService } from '../../accounts/attempts/attempt-limiter.service.js';
import { MemberContactsService } from '../contacts/member-contacts.service.js';
import { FamilyAccessService } from '../family-access.service.js';
import { FamilyRosterService, type MemberIdentity } from '../family-roster.service.js';
import {
  digestInvitationCode,
  FamilyCodesService,
  type FamilyCodeTarget,
  type SubmittedFamilyCode,
} from './family-codes.service.js';
import { InvitationRepository } from './invitation.repository.js';
import { JoinRequestRepository, type JoinRequest } from './join-request.repository.js';

/** Converts a join request for the owner or, without details of the applicant, for the applicant. */
function toJoinRequestDto(joinRequest: JoinRequest, { forOwner = false } = {}): ApplicationDto {
  const { applicationId, applicantUserId: userId, state, appellation, identityType } = joinRequest;
  const { name, areaCode, phoneNumber, createdAt, expiresAt, changedAt } = joinRequest;
  return {
    applicationId,
    state,
    appellation,
    identityType,
    ...(forOwner ? { applicant: { userId, name, areaCode, phoneNumber } } : {}),
    createTime: createdAt,
    expireTime: expiresAt,
    changeTime: changedAt,
  };
}

const { PENDING, APPROVED, REJECTED, CANCELLED, EXPIRED } = JOIN_REQUEST_STATE;

const EXPIRY_INTERVAL_MS = 60_000;
const EXPIRY_BATCH_SIZE = 100;

/**
 * An action on a join request. `hasNewInvitation`: the person's code belongs to an invitation that the owner created
 * after the last rejection of the person. `JOIN`: the person becomes a member with the code of an invitation, without a
 * join request.
 */
export type JoinRequestTransition =
  | { type: 'APPLY' | 'JOIN'; hasNewInvitation: boolean }
  | { type: 'APPROVE' | 'REJECT' | 'CANCEL' | 'CLOSE' };

/**
 * Handles requests to join a family, and applies and publishes their transitions. A request requires a code of the
 * family; only the owner of the family decides.
 */
@Injectable()
export class JoinRequestsService {
  private readonly logger = new Logger(JoinRequestsService.name);

  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly limiter: AttemptLimiterService,
    private readonly access: FamilyAccessService,
    private readonly roster: FamilyRosterService,
    private readonly codes: FamilyCodesService,
    private readonly joinRequests: JoinRequestRepository,
    private readonly invitations: InvitationRepository,
    private readonly memberContacts: MemberContactsService,
    private readonly outbox: UserctxOutbox,
  ) {}

  /**
   * Creates a join request. While a request of the caller is pending, a further call returns the pending request. Every
   * attempt counts towards the rate limit before the code is checked, whether the code is correct or not.
   * @throws ServiceError VALIDATION_FAILED unless the request contains exactly one code
   * @throws ServiceError RATE_LIMITED, CODE_INVALID, ALREADY_MEMBER
   * @throws ServiceError APPLICATION_REFUSED for a person who was rejected and not invited since
   * @throws ServiceError LIMIT_REACHED if the family has too many pending requests
   */
  async create(caller: Principal, request: CreateApplicationDto, ip: string): Promise<ApplicationDto> {
    const code = this.digestCode(request);
    await this.limiter.consume('family-code.address', ipBlock(ip));
    await this.limiter.consume('family-code.account', caller.id);
    const joinRequest = await this.unitOfWork.run(async () => {
      const { identity } = await this.roster.getProfile(caller.id);
      const { appellation = identity.appellation, identityType = IDENTITY_TYPE.CUSTOM } = request;
      const target = await this.lockTarget(code);
      if (await this.roster.isMember(target.familyId, caller.id)) throw new ServiceError('ALREADY_MEMBER');
      return this.apply(caller.id, target, { ...identity, appellation, identityType });
    });
    return toJoinRequestDto(joinRequest);
  }

  /**
   * Lists the join requests of a family for its owner, or the join requests of the caller. Newest first.
   * @throws ServiceError FAMILY_NOT_FOUND, PERMISSION_MISSING, VALIDATION_FAILED for an invalid cursor
   */
  async list(caller: Principal, query: ApplicationListQueryDto): Promise<Page<ApplicationDto>> {
    const { familyId } = query;
    const requestedPage = decodeTimePage(query);
    const forOwner = familyId !== undefined;
    if (forOwner) await this.access.requireForFamily(caller, familyId, 'DECIDE_APPLICATIONS');
    const filter = forOwner ? { familyId } : { applicantUserId: caller.id };
    const page = await this.joinRequests.findPage(filter, requestedPage);
    return { ...page, items: page.items.map((joinRequest) => toJoinRequestDto(joinRequest, { forOwner })) };
  }

  /**
   * Withdraws the caller's join request. Idempotent.
   * @throws ServiceError APPLICATION_NOT_FOUND, APPLICATION_STATE
   */
  async cancel(caller: Principal, applicationId: string): Promise<void> {
    if (!isUuid(applicationId)) throw new ServiceError('APPLICATION_NOT_FOUND');
    await this.unitOfWork.run(async () => {
      const found = await this.joinRequests.findOwn(caller.id, applicationId);
      if (!found) throw new ServiceError('APPLICATION_NOT_FOUND');
      await this.roster.lock(found.familyId);
      // The join request is read again, because the owner may have decided before the lock was acquired.
      const joinRequest = await this.joinRequests.findOwn(caller.id, applicationId);
      if (!joinRequest) throw new ServiceError('APPLICATION_NOT_FOUND');
      if (!(await this.transition(joinRequest, { type: 'CANCEL' }))) throw new ServiceError('APPLICATION_STATE');
    });
  }

  /** Expires unanswered join requests, and deletes join requests some time after they were closed. */
  @OnJob('userctx.families.expire-join-requests', { intervalMs: EXPIRY_INTERVAL_MS })
  async expireDue(now: number): Promise<void> {
    await processRows<JoinRequest>(
      (after) => this.joinRequests.findDue(now, EXPIRY_BATCH_SIZE, after?.applicationId),
      (joinRequest) => this.expire(joinRequest, now),
      ({ applicationId }, err) => this.logger.error({ msg: 'Expiry of a join request failed', applicationId, err }),
    );
    await this.joinRequests.deleteClosed(now - JOIN_REQUEST_RETENTION_MS);
  }

  /**
   * Adds the applicant as a member with the role and permissions that the owner chose, and marks the invitation that
   * the request used as accepted.
   * @throws ServiceError FAMILY_NOT_FOUND, PERMISSION_MISSING, APPLICATION_NOT_FOUND, CHILD_NOT_FOUND
   * @throws ServiceError ROLE_CHANGE_FORBIDDEN for a second owner
   * @throws ServiceError APPLICATION_STATE if the request is decided, withdrawn or expired
   * @throws ServiceError LIMIT_REACHED, in which case the request stays pending
   */
  async approve(caller: Principal, request: ApproveApplicationDto): Promise<ApplicationDto> {
    await this.access.requireForFamily(caller, request.familyId, 'DECIDE_APPLICATIONS');
    if (request.role === FAMILY_ROLE.OWNER) throw new ServiceError('ROLE_CHANGE_FORBIDDEN');
    const { applicantUserId } = await this.find(request);
    return this.unitOfWork.run(async () => {
      const profile = await this.roster.findProfile(applicantUserId);
      if (!profile) throw new ServiceError('APPLICATION_STATE');
      const { familyId } = await this.access.requireForFamily(caller, request.familyId, 'DECIDE_APPLICATIONS');
      const joinRequest = await this.find(request);
      await this.roster.assertChildrenInFamily(familyId, request.childPermissions);
      if (joinRequest.expiresAt <= Date.now()) throw new ServiceError('APPLICATION_STATE');
      const approved = await this.transition(joinRequest, { type: 'APPROVE' });
      if (!approved) throw new ServiceError('APPLICATION_STATE');
      const { invitationId } = approved;
      if (invitationId !== null) await this.invitations.accept(familyId, invitationId, applicantUserId, Date.now());
      await this.roster.addMember(
        familyId,
        applicantUserId,
        toMemberAccess(request),
        toMemberIdentity(request, approved, profile.identity),
      );
      await this.memberContacts.publishMemberChange(familyId, principalKey(caller));
      return toJoinRequestDto(approved, { forOwner: true });
    });
  }

  /**
   * Rejects the applicant until the owner invites that person again. Idempotent.
   * @throws ServiceError FAMILY_NOT_FOUND, PERMISSION_MISSING, APPLICATION_NOT_FOUND
   * @throws ServiceError APPLICATION_STATE if the request is approved, withdrawn or expired
   */
  async reject(caller: Principal, request: ApplicationReferenceDto): Promise<void> {
    await this.unitOfWork.run(async () => {
      await this.access.requireForFamily(caller, request.familyId, 'DECIDE_APPLICATIONS');
      const joinRequest = await this.find(request);
      if (!(await this.transition(joinRequest, { type: 'REJECT' }))) throw new ServiceError('APPLICATION_STATE');
    });
  }

  /**
   * Records that a person becomes a member with an invitation created at `invitedAt` (Unix milliseconds).
   * @returns false if the owner rejected the person after creating the invitation, because a rejection invalidates
   * older invitations.
   */
  async recordJoin(familyId: string, userId: string, invitedAt: number): Promise<boolean> {
    const joinRequest = await this.joinRequests.findByApplicant(familyId, userId);
    if (!joinRequest) return true;
    const hasNewInvitation = invitedAt > joinRequest.changedAt;
    return (await this.transition(joinRequest, { type: 'JOIN', hasNewInvitation })) !== null;
  }

  /** Closes all pending join requests of the family. */
  async closeAllPending(familyId: string): Promise<void> {
    for (const joinRequest of await this.joinRequests.findPending(familyId)) {
      await this.transition(joinRequest, { type: 'CLOSE' });
    }
  }

  /** @returns the join request after the transition, or null if the transition is not allowed. */
  private async transition(before: JoinRequest, transition: JoinRequestTransition): Promise<JoinRequest | null> {
    const state = nextJoinRequestState(before.state, transition);
    if (state === null) return null;
    if (state === before.state) return before;
    const after = { ...before, state, changedAt: Date.now() };
    await this.joinRequests.save(after);
    if (before.state === PENDING) await this.publishChange(after);
    return after;
  }

  private async expire({ familyId, applicationId }: JoinRequest, now: number): Promise<void> {
    await this.unitOfWork.run(async () => {
      await this.roster.lock(familyId);
      const joinRequest = await this.joinRequests.find(familyId, applicationId);
      if (joinRequest && joinRequest.expiresAt <= now) await this.transition(joinRequest, { type: 'CLOSE' });
    });
  }

  private digestCode({ inviteCode, familyCode }: CreateApplicationDto): SubmittedFamilyCode {
    if (inviteCode !== undefined && familyCode === undefined) return { invitation: digestInvitationCode(inviteCode) };
    if (familyCode !== undefined && inviteCode === undefined) return this.codes.digestWatchCode(familyCode);
    throw validationError('familyCode', 'isOneCode', 'provide either familyCode or inviteCode');
  }

  /** Resolves the code and locks the family that the code belongs to. */
  private async lockTarget(code: SubmittedFamilyCode): Promise<FamilyCodeTarget> {
    const now = Date.now();
    const unlocked = await this.codes.find(code, now);
    if (unlocked) await this.roster.lock(unlocked.familyId);
    // The code is resolved again, because the watch or the invitation may have changed before the lock was acquired.
    const target = unlocked && (await this.codes.find(code, now));
    if (target?.familyId !== unlocked?.familyId || !target) throw new ServiceError('CODE_INVALID');
    return target;
  }

  /** Stores a new or renewed join request and notifies the owner. */
  private async apply(
    applicantUserId: string,
    target: FamilyCodeTarget,
    identity: MemberIdentity,
  ): Promise<JoinRequest> {
    const { familyId, cid, did, invitationId, invitedAt } = target;
    const before = await this.joinRequests.findByApplicant(familyId, applicantUserId);
    const hasNewInvitation = invitedAt !== null && invitedAt > (before?.changedAt ?? 0);
    const state = nextJoinRequestState(before?.state, { type: 'APPLY', hasNewInvitation });
    if (state === null) throw new ServiceError('APPLICATION_REFUSED');
    const createdAt = Date.now();
    if (before?.state === state && before.expiresAt > createdAt) return before;
    const pending = await this.joinRequests.findPending(familyId);
    if (pending.length >= FAMILY_LIMITS.pendingApplications) throw new ServiceError('LIMIT_REACHED');
    const joinRequest: JoinRequest = {
      applicationId: before?.applicationId ?? randomUUID(),
      familyId,
      applicantUserId,
      state,
      cid,
      did,
      invitationId,
      ...identity,
      identityType: identity.identityType as JoinRequest['identityType'],
      createdAt,
      expiresAt: createdAt + JOIN_REQUEST_TTL_MS,
      changedAt: createdAt,
    };
    await this.joinRequests.save(joinRequest);
    await this.publishChange(joinRequest);
    return joinRequest;
  }

  private async find({ familyId, applicationId }: ApplicationReferenceDto): Promise<JoinRequest> {
    const joinRequest = isUuid(applicationId) ? await this.joinRequests.find(familyId, applicationId) : undefined;
    if (!joinRequest) throw new ServiceError('APPLICATION_NOT_FOUND');
    return joinRequest;
  }

  private async publishChange(joinRequest: JoinRequest): Promise<void> {
    const { familyId, cid, did, applicationId, applicantUserId, state, changedAt: time } = joinRequest;
    const payload = { familyId, cid, did, applicationId, applicantUserId, state, time };
    await this.outbox.appendForFamily('userctx.family-application.changed', payload);
  }
}

function toMemberAccess({ role, permissions, childPermissions }: ApproveApplicationDto) {
  return {
    role,
    permissions: permissions ?? [...MAX_PERMISSIONS_BY_ROLE[role]],
    childPermissions: childPermissions ?? {},
  };
}

/**
 * Returns the new member's identity with the account's current name and number. The appellation and identity type that
 * the owner sent take precedence over those of the applicant.
 */
function toMemberIdentity(
  request: ApproveApplicationDto,
  joinRequest: JoinRequest,
  identity: MemberIdentity,
): MemberIdentity {
  const { appellation = joinRequest.appellation, identityType = joinRequest.identityType } = request;
  return { ...identity, appellation, identityType };
}

/**
 * Returns the next state, or `null` if the transition is not allowed. `current` is undefined for a person who has never
 * requested to join. A rejected person stays rejected until the owner invites that person again.
 */
function nextJoinRequestState(
  current: JoinRequestState | undefined,
  transition: JoinRequestTransition,
): JoinRequestState | null {
  switch (transition.type) {
    case 'APPLY':
      return current === REJECTED && !transition.hasNewInvitation ? null : PENDING;
    case 'JOIN':
      return current === REJECTED && !transition.hasNewInvitation ? null : APPROVED;
    case 'APPROVE':
      return current === PENDING ? APPROVED : null;
    case 'REJECT':
      return current === PENDING || current === REJECTED ? REJECTED : null;
    case 'CANCEL':
      return current === PENDING || current === CANCELLED ? CANCELLED : null;
    case 'CLOSE':
      return current === PENDING ? EXPIRED : (current ?? null);
  }
}
