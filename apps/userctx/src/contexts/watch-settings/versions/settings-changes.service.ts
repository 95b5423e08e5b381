import { Injectable } from '@nestjs/common';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Principal, PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { toSettingsStatus } from '@family-watch/domain/watch-settings/contracts/settings-state';
import type { SettingsStatus, SettingsResource } from '@family-watch/domain/watch-settings/contracts/settings-state';
import type { SettingsChangeRequestDto } from '@family-watch/domain/watch-settings/dto/settings-status.dto';
import { UserctxOutbox, UserctxUnitOfWork } from '../../../infrastructure/userctx-infrastructure.js';
import type { ChildLink } from '../../families/child-watch-links.service.js';
import { FamilyAccessService } from '../../families/family-access.service.js';
import type { ChildAccess } from '../../families/family-access.service.js';
import { WatchBindingService } from '../../watches/binding/watch-binding.service.js';
import { SettingsVersionRepository } from './settings-version.repository.js';

/** Outcome of a change. If nothing changed, no event is published and the version is unchanged. */
export interface ChangeOutcome<Result> {
  hasChanged: boolean;
  result: Result;
}

/** The version after a change, and the result of the change. */
export interface VersionedChange<Result> {
  version: number;
  result: Result;
}

/**
 * Changes settings. Stores rows, version and event in one transaction and authorizes the caller. All changes of
 * settings go through this service.
 */
@Injectable()
export class SettingsChangesService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly outbox: UserctxOutbox,
    private readonly access: FamilyAccessService,
    private readonly bindings: WatchBindingService,
    private readonly versions: SettingsVersionRepository,
  ) {}

  /**
   * Runs `work` for the child of the watch. The family is locked, so of two concurrent callers that name the same
   * version, one is rejected.
   * @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING
   * @throws ServiceError VERSION_STALE if the request names an older version
   */
  apply<Result>(
    caller: Principal,
    { did, version }: SettingsChangeRequestDto,
    resource: SettingsResource,
    work: (child: ChildAccess) => Promise<ChangeOutcome<Result>>,
  ): Promise<VersionedChange<Result>> {
    return this.unitOfWork.run(async () => {
      const child = await this.access.requireForWatch(caller, did, 'CHANGE_SETTINGS');
      const { version: current } = await this.versions.find(child.familyId, child.cid, resource);
      if (version !== undefined && version !== current) throw new ServiceError('VERSION_STALE');
      const { hasChanged, result } = await work(child);
      return { version: hasChanged ? await this.record(child, resource, principalKey(caller)) : current, result };
    });
  }

  /**
   * Increments the version of the settings resource and publishes the new version. Runs in the caller's transaction.
   */
  async record({ familyId, cid, did }: ChildLink, resource: SettingsResource, by: PrincipalKey): Promise<number> {
    const version = await this.versions.increment(familyId, cid, resource);
    await this.publish({ familyId, cid, did }, resource, version, by);
    return version;
  }

  /**
   * Publishes the versions of the child's settings to a newly bound watch. Settings that were never changed are
   * omitted.
   */
  async publishAll(child: ChildLink, by: PrincipalKey): Promise<void> {
    for (const { resource, version } of await this.versions.findChanged(child.familyId, child.cid))
      await this.publish(child, resource, version, by);
  }

  /**
   * Returns the status of the newest version of the settings resource on the currently bound watch. Acknowledgements of
   * other bindings are ignored.
   */
  async findStatus({ familyId, cid, did }: ChildLink, resource: SettingsResource): Promise<SettingsStatus> {
    const { version, ack } = await this.versions.find(familyId, cid, resource);
    if (!ack || ack.did !== did) return toSettingsStatus(version, null);
    const binding = await this.bindings.findAt(did, Date.now());
    return toSettingsStatus(version, binding?.boundAt === ack.boundAt ? ack : null);
  }

  private async publish(
    child: ChildLink,
    resource: SettingsResource,
    version: number,
    by: PrincipalKey,
  ): Promise<void> {
    const { familyId, cid, did } = child;
    const payload = { familyId, cid, did, resource, version, by };
    await this.outbox.append({ name: 'userctx.watch-settings.changed', key: familyId, payload });
  }
}
