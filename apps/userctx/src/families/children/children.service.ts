import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { normalizeAreaCode } from '@family-watch/domain/accounts/contracts/account';
import { GENDER } from '@family-watch/domain/families/contracts/child';
import type {
  ChildDetailDto,
  ChildDeviceDto,
  ChildDto,
  CreateChildDto,
  UpdateChildDto,
  WatchChildDto,
} from '@family-watch/domain/families/dto/child.dto';
import type { ChildEntity } from '@family-watch/domain/families/entities/child.entity';
import { CONTACT_CHANGE } from '@family-watch/domain/families/contracts/contact';
import { localDateIn } from '@family-watch/domain/kernel/contracts/local-date';
import { principalKey, type Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { Location } from '@family-watch/domain/locations/contracts/location';
import { Batcher } from '@family-watch/platform/concurrency/batcher';
import { UserctxChildReads, UserctxOutbox, UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { MemberContactsService } from '../contacts/member-contacts.service.js';
import { FamilyAccessService } from '../family-access.service.js';
import { FamilyRosterService, type ChildLink } from '../family-roster.service.js';
import { FamilySnapshotsService } from '../family-snapshots.service.js';
import { isAllowedForChild } from '../permission-matrix.js';
import { ChildRepository, type ChildChanges, type ChildListRow } from './child.repository.js';
import { CloudTicketsService } from './cloud-tickets.service.js';

/**
 * Converts a row to the response format of specification 2.1. `device` is null for a child without a watch,
 * `lastLocation` for a child without a location or when the caller may not see the location.
 */
function toChildSummary(
  row: ChildListRow,
  view: { stepCount: number; ticket: string | null; canSeeLocation: boolean },
): ChildDto {
  return {
    cid: row.cid,
    stepCount: view.stepCount,
    name: row.name,
    ...(row.avatar === null ? {} : { avatar: row.avatar }),
    device: deviceOf(row, view.ticket),
    lastLocation: view.canSeeLocation ? locationOf(row) : null,
  };
}

/**
 * Values that the watch has not reported are 0, because the int32 fields of the specification have no value for
 * "unknown".
 */
function deviceOf({ did, battery, signal, signalMax }: ChildListRow, ticket: string | null): ChildDeviceDto | null {
  if (did === null || ticket === null) return null;
  return { did, battery: battery ?? 0, signal: signal ?? 0, signalMax: signalMax ?? 0, ticket };
}

function locationOf({ latitude, longitude, positionTime, radius, pointType }: ChildListRow): Location | null {
  if (latitude === null || longitude === null || positionTime === null || radius === null || pointType === null) {
    return null;
  }
  return { latitude, longitude, positionTime, radius, pointType };
}

/** Lists, creates, shows and updates children (specification 4.1). */
@Injectable()
export class ChildrenService {
  /** Batches concurrent calls of `list` into one query, because the round trip to the database dominates their cost. */
  private readonly listBatcher = new Batcher<string, readonly ChildListRow[]>({
    process: async (userIds) => {
      const found = await this.children.findByMembers([...new Set(userIds)], Date.now());
      return userIds.map((userId) => found.get(userId) ?? []);
    },
    maxBatchSize: 25,
    maxConcurrentBatches: 2,
    // Without the delay, each request that arrives during a query would start a query of its own.
    concurrentBatchDelayMs: 2,
    maxWaitingItems: 10_000,
  });

  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly outbox: UserctxOutbox,
    private readonly access: FamilyAccessService,
    private readonly roster: FamilyRosterService,
    private readonly snapshots: FamilySnapshotsService,
    private readonly memberContacts: MemberContactsService,
    private readonly children: ChildRepository,
    private readonly tickets: CloudTicketsService,
    private readonly childReads: UserctxChildReads,
  ) {}

  /** GetChild: returns the children whom the caller may see, in all families of the caller. */
  async list(caller: Principal): Promise<ChildDto[]> {
    const now = Date.now();
    const rows = await this.listBatcher.submit(caller.id);
    const visible = rows.filter((row) => isAllowedForChild(memberOf(row, caller), 'SEE_CHILD', row.cid));
    const summaries = await Promise.all(
      visible.map(async (row) =>
        toChildSummary(row, {
          stepCount: row.steps?.[localDateIn(row.timeZone, now)] ?? 0,
          ticket: row.did === null ? null : await this.tickets.issue(row.did, row.familyId, now),
          canSeeLocation: isAllowedForChild(memberOf(row, caller), 'SEE_LOCATION', row.cid),
        }),
      ),
    );
    for (const { cid, lastLocation } of summaries)
      if (lastLocation) this.childReads.recordCaller(caller, cid, 'LOCATION');
    return summaries;
  }

  /**
   * CreateChild. The first child creates the caller's family.
   * @returns the id of the child
   * @throws ServiceError LIMIT_REACHED when the family has too many children
   */
  async create(caller: Principal, request: CreateChildDto): Promise<string> {
    const cid = randomUUID();
    await this.unitOfWork.run(async () => {
      const profile = await this.roster.getProfile(caller.id);
      const by = principalKey(caller);
      const familyId = await this.roster.findOrCreateOwnedFamily(caller.id, profile.identity);
      await this.roster.addChild(familyId, cid);
      await this.children.add(createChild(familyId, cid, request, profile.timeZone));
      await this.memberContacts.createList(familyId, cid);
      // The snapshot is appended before the event, because consumers of the event must already have the child in their
      // projection.
      await this.snapshots.publish(familyId);
      await this.outbox.appendForFamily('userctx.child.created', { familyId, cid, by });
      await this.memberContacts.syncMembers(familyId, by);
    });
    return cid;
  }

  /**
   * UpdateChild.
   * @throws ServiceError CHILD_NOT_FOUND, PERMISSION_MISSING
   */
  async update(caller: Principal, request: UpdateChildDto): Promise<void> {
    await this.unitOfWork.run(async () => {
      const child = await this.access.requireForChild(caller, request.cid, 'CHANGE_CHILD');
      const { familyId, cid } = child;
      const before = await this.children.find(familyId, cid);
      await this.children.update(familyId, cid, toChanges(request));
      const shown = (['name', 'avatar', 'timeZone'] as const).some(
        (field) => request[field] !== undefined && request[field] !== before?.[field],
      );
      if (shown) await this.recordShownChange(child, caller);
      const timeZoneChanged = request.timeZone !== undefined && request.timeZone !== before?.timeZone;
      const payload = { familyId, cid, by: principalKey(caller), timeZoneChanged };
      await this.outbox.appendForFamily('userctx.child.updated', payload);
    });
  }

  /** @throws ServiceError CHILD_NOT_FOUND, PERMISSION_MISSING */
  async detail(caller: Principal, requestedCid: string): Promise<ChildDetailDto> {
    const { familyId, cid } = await this.access.requireForChild(caller, requestedCid, 'SEE_CHILD');
    const child = await this.children.find(familyId, cid);
    if (!child) throw new ServiceError('CHILD_NOT_FOUND');
    return toDetail(child);
  }

  /**
   * Returns what the watch may show about the child that it is bound to.
   * @throws ServiceError WATCH_UNBOUND
   */
  async detailForWatch(watch: Principal): Promise<WatchChildDto> {
    const { familyId, cid } = await this.access.requireForWatch(watch, Number(watch.id), 'SEE_CHILD', {
      unknownReason: 'WATCH_UNBOUND',
    });
    const child = await this.children.find(familyId, cid);
    if (!child) throw new ServiceError('WATCH_UNBOUND');
    const { name, avatar, timeZone, stepGoal } = child;
    return { cid, name, ...(avatar === null ? {} : { avatar }), timeZone, stepGoal };
  }

  /** @throws ServiceError CHILD_NOT_FOUND, PERMISSION_MISSING */
  async setStepGoal(caller: Principal, requestedCid: string, stepGoal: number | null): Promise<void> {
    await this.unitOfWork.run(async () => {
      const child = await this.access.requireForChild(caller, requestedCid, 'CHANGE_CHILD');
      const before = await this.children.find(child.familyId, child.cid);
      if (before?.stepGoal === stepGoal) return;
      await this.children.update(child.familyId, child.cid, { stepGoal });
      await this.recordShownChange(child, caller);
    });
  }

  /** Returns the names of existing children, in any family: the caller must check who may see them. */
  findNames(cids: readonly string[]): Promise<Pick<ChildEntity, 'cid' | 'name' | 'avatar'>[]> {
    return this.children.findNames(cids);
  }

  /** Returns the IANA name of the child's time zone, or null when the family has no such child. */
  async findTimeZone(familyId: string, cid: string): Promise<string | null> {
    const child = await this.children.find(familyId, cid);
    return child?.timeZone ?? null;
  }

  /** Publishes a change of what the watch and the members show, as a change of the child's contact list. */
  private async recordShownChange(child: ChildLink, caller: Principal): Promise<void> {
    await this.memberContacts.recordChange(child, child.cid, CONTACT_CHANGE.CHILD_UPDATED, principalKey(caller));
  }
}

function memberOf({ role, permissions, childPermissions }: ChildListRow, { id: userId }: Principal) {
  return { userId, role, permissions, childPermissions };
}

function createChild(familyId: string, cid: string, request: CreateChildDto, defaultTimeZone: string): ChildEntity {
  const { areaCode, avatar = null, birthday = null, gender = GENDER.UNKNOWN, ...fields } = request;
  const { timeZone = defaultTimeZone } = request;
  const serverFields = { familyId, cid, stepGoal: null, createdAt: Date.now(), deletedAt: null, didAtDeletion: null };
  return { ...serverFields, ...fields, areaCode: normalizeAreaCode(areaCode), avatar, birthday, gender, timeZone };
}

/** Returns the columns to update. TypeORM leaves columns with the value undefined unchanged. */
function toChanges({ cid, areaCode, ...fields }: UpdateChildDto): ChildChanges {
  return { ...fields, areaCode: normalizeAreaCode(areaCode) };
}

function toDetail({ avatar, birthday, createdAt, deletedAt, didAtDeletion, ...child }: ChildEntity): ChildDetailDto {
  return { ...child, ...(avatar === null ? {} : { avatar }), ...(birthday === null ? {} : { birthday }) };
}
