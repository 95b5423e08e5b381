import { randomUUID, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { toAsciiDigits } from '@family-watch/domain/kernel/contracts/ascii-digits';
import { DEFAULT_PAGE_LIMIT, type Page } from '@family-watch/domain/kernel/contracts/pagination';
import { principalKey, type Principal, type PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError, validationError } from '@family-watch/domain/kernel/contracts/service-error';
import type { PageQueryDto } from '@family-watch/domain/kernel/dto/page-query.dto';
import type {
  BindRequestDto,
  UnbindRequestDto,
  WatchDto,
  BindCodeDto,
} from '@family-watch/domain/watches/dto/watch.dto';
import type { BindCodeEntity, WatchBindingEntity } from '@family-watch/domain/watches/entities/watch.entities';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { UserctxOutbox, UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { AccountService } from '../../accounts/account.service.js';
import { MemberContactsService } from '../../families/contacts/member-contacts.service.js';
import { FamilyAccessService } from '../../families/family-access.service.js';
import { FamilyRosterService } from '../../families/family-roster.service.js';
import { isAllowedForChild } from '../../families/permission-matrix.js';
import { WatchCodes } from '../../families/watch-codes.js';
import { WatchStatusRepository } from '../status/watch-status.repository.js';
import { WatchRepository, type MemberWatchView, type WatchView } from '../watch.repository.js';
import { WatchBindingRepository, type BindingCollision } from './watch-binding.repository.js';

const COLLISION_REASONS = {
  watch_binding_one_child: 'WATCH_ALREADY_BOUND',
  watch_binding_one_watch: 'CHILD_HAS_WATCH',
  watch_binding_one_imei: 'IMEI_TAKEN',
} as const satisfies Record<BindingCollision, string>;

/** Time for which a bind code is valid: five minutes. */
export const BIND_CODE_TTL_SECONDS = 300;

type BindingTarget = Pick<WatchBindingEntity, 'familyId' | 'cid' | 'did'>;

const EXPIRY_INTERVAL_MS = 60_000;
const BIND_CODE_BYTES = 16;
const CONFIRM_CODE_DIGITS = 6;

/**
 * A bind code and confirmation code that were correct when they were checked. `consumeCode` decides whether they are
 * still valid.
 */
export type VerifiedBindCode = Omit<BindCodeEntity, 'expiresAt' | 'tries'>;

/**
 * Lists watches, binds them to children and unbinds them, and issues the codes that an unbound watch shows: 128 random
 * bits, and six digits that only a person who sees the watch can read. The family is locked before the watch.
 */
@Injectable()
export class WatchBindingService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly outbox: UserctxOutbox,
    private readonly access: FamilyAccessService,
    private readonly roster: FamilyRosterService,
    private readonly contacts: MemberContactsService,
    private readonly bindings: WatchBindingRepository,
    private readonly watches: WatchRepository,
    private readonly accounts: AccountService,
    private readonly codes: WatchCodes,
    private readonly statuses: WatchStatusRepository,
  ) {}

  /**
   * Binds the watch that shows the code. Permission and the child's existing watch are checked before the code, so that
   * a rejection reveals nothing about codes and counts no try.
   * @throws ServiceError CHILD_NOT_FOUND, PERMISSION_MISSING, CHILD_HAS_WATCH, BIND_CODE_INVALID, IMEI_TAKEN
   */
  async bind(caller: Principal, request: BindRequestDto): Promise<number> {
    const { did: currentDid } = await this.access.requireForChild(caller, request.cid, 'BIND_WATCH');
    if (currentDid !== null) throw new ServiceError('CHILD_HAS_WATCH');
    const code = await this.verifyCode(request.bindCode, request.confirmCode);
    await this.unitOfWork.run(() => this.bindWithCode(caller, request, code));
    return code.did;
  }

  /**
   * Unbinds the watch. The caller must have verified the step-up.
   * @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING
   */
  async unbind(caller: Principal, did: number): Promise<void> {
    await this.unitOfWork.run(async () => {
      const { familyId, cid } = await this.access.requireForWatch(caller, did, 'UNBIND_WATCH');
      await this.endBinding(familyId, cid, did, principalKey(caller));
    });
  }

  /** Ends the binding of the watch, if any. Runs in the caller's transaction. */
  async endBindingOfWatch(did: number, by: PrincipalKey): Promise<void> {
    const link = await this.roster.findChildOfWatch(did);
    if (link) await this.endBinding(link.familyId, link.cid, did, by);
  }

  /** Ends the binding of a deleted child's watch. The link between child and watch is already deleted. */
  async endBindingOfDeletedChild(did: number, cid: string, time: number): Promise<void> {
    const binding = await this.bindings.findActive(did);
    if (binding?.cid === cid && binding.boundAt <= time) await this.end(binding, time);
  }

  /**
   * Binds the watch of a restored child as before the deletion. Does nothing if the watch has been bound since, was
   * deleted or revoked, or if the child has another watch now.
   */
  async bindToRestoredChild(target: BindingTarget, by: PrincipalKey): Promise<void> {
    const { familyId, cid, did } = target;
    const child = await this.roster.findChild(cid);
    if (child?.familyId !== familyId || child.did !== null) return;
    const now = Date.now();
    if (!(await this.watches.recordContact(did, now))) return;
    if ((await this.bindings.findNewest(did))?.cid !== cid) return;
    if ((await this.addBinding(target, now)) !== undefined) return;
    await this.roster.bindWatch(familyId, cid, did);
    await this.outbox.appendForFamily('userctx.watch.bound', { familyId, cid, did, by, time: now });
  }

  /** Deletes all bindings of an erased child. */
  async eraseBindings(cid: string, time: number): Promise<void> {
    // The binding is active if the event of the child's deletion has failed and is queued for a retry.
    for (const binding of await this.bindings.findActiveOfChild(cid)) await this.end(binding, time);
    await this.bindings.erase(cid);
  }

  /**
   * Lists the watches of all children that the caller may see.
   * @throws ServiceError VALIDATION_FAILED for an invalid cursor
   */
  async list(caller: Principal, { cursor, limit = DEFAULT_PAGE_LIMIT }: PageQueryDto): Promise<Page<WatchDto>> {
    const watches = await this.watches.findViewsByMember(caller.id, cursor === undefined ? 0 : parseCursor(cursor));
    const visible = watches.filter((watch) =>
      isAllowedForChild({ ...watch, userId: caller.id }, 'SEE_CHILD', watch.cid),
    );
    const page = visible.slice(0, limit).map(toWatchView);
    const last = visible.length > limit ? page.at(-1) : undefined;
    return { items: page, nextCursor: last ? String(last.did) : null };
  }

  /** @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING */
  async get(caller: Principal, did: number): Promise<WatchDto> {
    const { familyId } = await this.access.requireForWatch(caller, did, 'SEE_CHILD');
    const view = await this.watches.findView(familyId, did);
    if (!view) throw new ServiceError('WATCH_NOT_FOUND');
    return view;
  }

  /** @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING, STEP_UP_REQUIRED */
  async unbindWithStepUp(caller: Principal, { did, stepUp }: UnbindRequestDto): Promise<void> {
    await this.access.requireForWatch(caller, did, 'UNBIND_WATCH');
    await this.accounts.verifyStepUp(caller.id, stepUp);
    await this.unbind(caller, did);
  }

  /**
   * Creates the bind code and the confirmation code that an unbound watch shows.
   * @throws ServiceError WATCH_ALREADY_BOUND
   * @throws ServiceError WATCH_NOT_FOUND if the watch has been deleted
   */
  async createCode(did: number): Promise<BindCodeDto> {
    const bindCode = randomBytes(BIND_CODE_BYTES).toString('base64url');
    const confirmCode = String(randomInt(10 ** CONFIRM_CODE_DIGITS)).padStart(CONFIRM_CODE_DIGITS, '0');
    const digests = this.digestHalves(bindCode, confirmCode);
    await this.unitOfWork.run(async () => {
      // `recordContact` locks the watch's row. Binding locks the same row, so a watch that is being bound gets no code.
      if (!(await this.watches.recordContact(did, Date.now()))) throw new ServiceError('WATCH_NOT_FOUND');
      if (await this.bindings.findActive(did)) throw new ServiceError('WATCH_ALREADY_BOUND');
      await this.bindings.replaceCode({ did, ...digests, expiresAt: Date.now() + BIND_CODE_TTL_SECONDS * 1_000 });
    });
    return { bindCode, confirmCode, expiresIn: BIND_CODE_TTL_SECONDS };
  }

  @OnJob('userctx.watches.delete-expired-codes', { intervalMs: EXPIRY_INTERVAL_MS })
  async deleteExpiredCodes(now: number): Promise<void> {
    await this.bindings.deleteExpiredCodes(now);
  }

  /**
   * Checks the bind code and the confirmation code. The try is counted and committed before the check. Unknown, expired
   * and used codes fail like wrong digits.
   * @throws ServiceError BIND_CODE_INVALID
   */
  private async verifyCode(bindCode: string, confirmCode: string): Promise<VerifiedBindCode> {
    const { codeDigest, confirmDigest } = this.digestHalves(bindCode, confirmCode);
    const attempted = await this.unitOfWork.run(() => this.bindings.incrementCodeTries(codeDigest, Date.now()));
    if (!timingSafeEqual(attempted?.confirmDigest ?? Buffer.alloc(confirmDigest.length), confirmDigest) || !attempted)
      throw new ServiceError('BIND_CODE_INVALID');
    return { did: attempted.did, codeDigest, confirmDigest };
  }

  /**
   * Deletes the code. Must be called in the transaction that binds the watch.
   * @throws ServiceError BIND_CODE_INVALID
   */
  private async consumeCode({ codeDigest, confirmDigest }: VerifiedBindCode): Promise<void> {
    if (!(await this.bindings.consumeCode(codeDigest, confirmDigest, Date.now())))
      throw new ServiceError('BIND_CODE_INVALID');
  }

  private async bindWithCode(caller: Principal, request: BindRequestDto, code: VerifiedBindCode): Promise<void> {
    const { did } = code;
    const { familyId, cid, did: currentDid } = await this.access.requireForChild(caller, request.cid, 'BIND_WATCH');
    if (currentDid !== null) throw new ServiceError('CHILD_HAS_WATCH');
    const [now, by] = [Date.now(), principalKey(caller)];
    await this.consumeCodeAndBind({ familyId, cid, did }, code, now);
    await this.roster.bindWatch(familyId, cid, did);
    const { appellation, identityType } = request;
    await this.contacts.updateDescription({ familyId, cid, did }, caller.id, { appellation, identityType }, by);
    await this.outbox.appendForFamily('userctx.watch.bound', { familyId, cid, did, by, time: now });
  }

  /**
   * Deletes the code and inserts the binding.
   * @throws ServiceError BIND_CODE_INVALID if a concurrent caller has used the code, or the watch does not exist
   * @throws ServiceError WATCH_ALREADY_BOUND, CHILD_HAS_WATCH, IMEI_TAKEN
   */
  private async consumeCodeAndBind(target: BindingTarget, code: VerifiedBindCode, now: number): Promise<void> {
    if (!(await this.watches.recordContact(target.did, now))) throw new ServiceError('BIND_CODE_INVALID');
    await this.consumeCode(code);
    const collision = await this.addBinding(target, now);
    if (collision) throw new ServiceError(COLLISION_REASONS[collision]);
  }

  /**
   * Inserts the binding of a watch whose row is locked. Returns the unique index that the binding would violate; then
   * nothing is inserted.
   */
  private async addBinding(target: BindingTarget, now: number): Promise<BindingCollision | undefined> {
    const watch = await this.watches.find(target.did);
    if (!watch) throw new Error('The watch does not exist');
    const collision = await this.bindings.findCollision(target.did, target.cid, watch.imei);
    if (collision) return collision;
    const binding = { ...target, bindingId: randomUUID(), imei: watch.imei, boundAt: now, unboundAt: null };
    // Family and watch are locked, so only another watch with the same IMEI can conflict.
    return (await this.bindings.add(binding)) ? undefined : 'watch_binding_one_imei';
  }

  private async endBinding(familyId: string, cid: string, did: number, by: PrincipalKey): Promise<void> {
    const now = Date.now();
    const binding = await this.bindings.findActive(did);
    if (binding) await this.end(binding, now);
    // The event is appended before the family snapshot without the watch, because consumers of the event must still
    // have the watch in their projection.
    await this.outbox.appendForFamily('userctx.watch.unbound', { familyId, cid, did, by, time: now });
    await this.roster.unbindWatch(familyId, cid);
  }

  private async end({ bindingId, did }: WatchBindingEntity, time: number): Promise<void> {
    await this.bindings.end(bindingId, time);
    await this.statuses.clear(did, time);
  }

  private digestHalves(bindCode: string, confirmCode: string): Pick<VerifiedBindCode, 'codeDigest' | 'confirmDigest'> {
    return {
      codeDigest: this.codes.digest('bind', bindCode),
      confirmDigest: this.codes.digest(`confirm\n${bindCode}`, toAsciiDigits(confirmCode)),
    };
  }
}

function toWatchView({ role, permissions, childPermissions, ...view }: MemberWatchView): WatchView {
  return view;
}

function parseCursor(cursor: string): number {
  if (/^\d{1,16}$/.test(cursor) && Number.isSafeInteger(Number(cursor))) return Number(cursor);
  throw validationError('cursor', 'isCursor', 'cursor must be the nextCursor of a previous page');
}
