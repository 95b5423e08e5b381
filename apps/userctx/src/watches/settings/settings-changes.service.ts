import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import { principalKey, type Principal, type PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { MESSAGE_STATUS } from '@family-watch/domain/messages/contracts/payloads';
import { resourceOfNotice, type SettingsResource } from '@family-watch/domain/watches/contracts/settings-state';
import type { SettingsChangeRequestDto, SettingsStatusDto } from '@family-watch/domain/watches/dto/settings-status.dto';
import { UserctxOutbox, UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { ChildrenService } from '../../families/children/children.service.js';
import { FamilyAccessService, type ChildAccess } from '../../families/family-access.service.js';
import type { ChildKey, ChildLink } from '../../families/family-roster.service.js';
import { WatchBindingRepository } from '../binding/watch-binding.repository.js';
import { applySettingsAck, toSettingsStatus } from './settings-acknowledgement.js';
import { WatchSettingsRepository } from './watch-settings.repository.js';

/** The logs of calls and early exits are retained as long as chat messages: 90 days, in milliseconds. */
export const WATCH_LOG_RETENTION_MS = 90 * 86_400_000;

/** Result of a change. If `hasChanged` is false, no event is published and the version is unchanged. */
interface ChangeOutcome {
  hasChanged: boolean;
}

type AcknowledgedEvent = DomainEvents['gateway.message.acknowledged'];

/** A watch that reports events, and the child that it is bound to. */
export interface ReportingWatch extends ChildKey {
  did: number;
  /** Events before this time (Unix milliseconds) belong to another child. */
  boundSince: number;
}

/**
 * Authorizes, versions and publishes all changes of a child's settings. A change, the new version and its event are
 * stored in one transaction. Also records which version of the settings a watch has acknowledged.
 */
@Injectable()
export class SettingsChangesService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly outbox: UserctxOutbox,
    private readonly access: FamilyAccessService,
    private readonly bindings: WatchBindingRepository,
    private readonly settings: WatchSettingsRepository,
    private readonly children: ChildrenService,
  ) {}

  /**
   * Runs `work`, which changes settings, for the child of the watch. The family is locked, so of two concurrent callers
   * that name the same version, one is rejected.
   * @returns the version after the change, and the fields that `work` returns except `hasChanged`
   * @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING
   * @throws ServiceError VERSION_STALE if the request names another version than the current one
   */
  apply<Outcome extends ChangeOutcome>(
    caller: Principal,
    { did, version }: SettingsChangeRequestDto,
    resource: SettingsResource,
    work: (child: ChildAccess) => Promise<Outcome>,
  ): Promise<Omit<Outcome, 'hasChanged'> & { version: number }> {
    return this.unitOfWork.run(async () => {
      const child = await this.access.requireForWatch(caller, did, 'CHANGE_SETTINGS');
      const { version: current } = await this.settings.findVersion(child.familyId, child.cid, resource);
      if (version !== undefined && version !== current) throw new ServiceError('VERSION_STALE');
      const { hasChanged, ...result } = await work(child);
      return { ...result, version: hasChanged ? await this.record(child, resource, principalKey(caller)) : current };
    });
  }

  /**
   * Increments the version of the settings resource and publishes the new version. Runs in the caller's transaction.
   */
  async record({ familyId, cid, did }: ChildLink, resource: SettingsResource, by: PrincipalKey): Promise<number> {
    const version = await this.settings.incrementVersion(familyId, cid, resource);
    await this.publish({ familyId, cid, did }, resource, version, by);
    return version;
  }

  /**
   * Publishes the versions of all settings resources of the child, for a newly bound watch. Omits resources that were
   * never changed.
   */
  async publishAll(child: ChildLink, by: PrincipalKey): Promise<void> {
    for (const { resource, version } of await this.settings.findChangedVersions(child.familyId, child.cid))
      await this.publish(child, resource, version, by);
  }

  /**
   * Returns the newest version of the settings resource, and whether the currently bound watch has acknowledged it.
   * Ignores acknowledgements from other bindings.
   */
  async findStatus({ familyId, cid, did }: ChildLink, resource: SettingsResource): Promise<SettingsStatusDto> {
    const { version, ack } = await this.settings.findVersion(familyId, cid, resource);
    if (!ack || ack.did !== did) return toSettingsStatus(version, null);
    const binding = await this.bindings.findAt(did, Date.now());
    return toSettingsStatus(version, binding?.boundAt === ack.boundAt ? ack : null);
  }

  /**
   * Records an acknowledgement of the currently bound watch if the acknowledgement names a version and was sent since
   * the watch was bound. Ignores acknowledgements by guardians.
   * @param time when the acknowledgement was sent, Unix milliseconds
   */
  async recordAck({ by, kind, did, cid, status, version, reason }: AcknowledgedEvent, time: number): Promise<void> {
    const resource = resourceOfNotice(kind);
    if (!resource || did === null || by !== `watch:${did}`) return;
    if (version === null || status === MESSAGE_STATUS.READ) return;
    const binding = await this.bindings.findAt(did, Date.now());
    if (!binding || binding.cid !== cid || binding.boundAt > time) return;
    const { familyId, boundAt } = binding;
    const stored = await this.settings.lockVersion(familyId, binding.cid, resource);
    // Another watch may have been bound and acknowledged before the lock was acquired.
    const currentBinding = await this.bindings.findAt(did, Date.now());
    if (!stored || currentBinding?.boundAt !== boundAt) return;
    const before = stored.ack?.did === did && stored.ack.boundAt === boundAt ? stored.ack : null;
    const after = applySettingsAck(before, { version, status, reason }, stored.version);
    if (after === null || isDeepStrictEqual({ ...after, did, boundAt }, before)) return;
    await this.settings.saveAck(familyId, binding.cid, resource, { ...after, did, boundAt });
    // An acknowledgement of an older version is not published, because it would replace the notice of the newest
    // version.
    if (after.version !== stored.version) return;
    const payload = { familyId, cid: binding.cid, did, resource, version: after.version, state: after.status };
    await this.outbox.appendForFamily('userctx.watch-settings.answered', payload);
  }

  /**
   * Finds the child that a reporting watch is bound to. Inside a transaction, locks the family.
   * @throws ServiceError WATCH_UNBOUND
   */
  async findReportingWatch(watch: Principal): Promise<ReportingWatch> {
    const did = Number(watch.id);
    const link = await this.access.requireForWatch(watch, did, 'SEE_SETTINGS', { unknownReason: 'WATCH_UNBOUND' });
    const binding = await this.bindings.findAt(did, Date.now());
    if (binding?.cid !== link.cid) throw new ServiceError('WATCH_UNBOUND');
    const { familyId, cid } = link;
    // The clock of a watch may be unset, so times are only checked for a watch that was bound to another child before.
    return { familyId, cid, did, boundSince: binding.wasBoundToOtherChild ? binding.boundAt : 0 };
  }

  /**
   * Returns the IANA name of the child's time zone, which all schedules use, regardless of the time zones of parents
   * and server.
   * @throws ServiceError WATCH_NOT_FOUND if the child has been deleted
   */
  async findTimeZone({ familyId, cid }: ChildLink): Promise<string> {
    const timeZone = await this.children.findTimeZone(familyId, cid);
    if (timeZone === null) throw new ServiceError('WATCH_NOT_FOUND');
    return timeZone;
  }

  private async publish(
    child: ChildLink,
    resource: SettingsResource,
    version: number,
    by: PrincipalKey,
  ): Promise<void> {
    const { familyId, cid, did } = child;
    await this.outbox.appendForFamily('userctx.watch-settings.changed', { familyId, cid, did, resource, version, by });
  }
}
