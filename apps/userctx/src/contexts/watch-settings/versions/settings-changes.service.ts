import { Injectable } from '@nestjs/common';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Principal, PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { toSettingsStatus } from '@family-watch/domain/watch-settings/contracts/settings-state';
import type { SettingsStatus } from '@family-watch/domain/watch-settings/contracts/settings-state';
import type { SettingsResource } from '@family-watch/domain/watch-settings/contracts/watch-settings.events';
import type { SettingsChangeRequestDto } from '@family-watch/domain/watch-settings/dto/settings-status.dto';
import { UserctxOutbox } from '../../../infrastructure/userctx.outbox.js';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx.unit-of-work.js';
import type { ChildLink } from '../../families/child-link.js';
import { FamilyAccessService } from '../../families/family-access.service.js';
import type { ChildAccess } from '../../families/family-access.service.js';
import { BindingHistoryService } from '../../watches/binding/binding-history.service.js';
import { SettingsVersionRepository } from './settings-version.repository.js';

/** What a change came to; one that left all as it was is not told and has no version. */
export interface ChangeOutcome<Result> {
  changed: boolean;
  result: Result;
}

/** The version after a change, and what came of it. */
export interface VersionedChange<Result> {
  version: number;
  result: Result;
}

/** The one way in which settings change: rows, version and event in one unit of work, for whoever may. */
@Injectable()
export class SettingsChangesService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly outbox: UserctxOutbox,
    private readonly access: FamilyAccessService,
    private readonly bindings: BindingHistoryService,
    private readonly versions: SettingsVersionRepository,
  ) {}

  /**
   * Runs `work` for the child of the watch. The family is locked meanwhile, so of two parents who have seen the same
   * version one is refused.
   * @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING; VERSION_STALE when the request names an older version.
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
      const { changed, result } = await work(child);
      return { version: changed ? await this.record(child, resource, principalKey(caller)) : current, result };
    });
  }

  /** Gives the resource its next version and tells of it, in the caller's unit of work. */
  async record({ familyId, cid, did }: ChildLink, resource: SettingsResource, by: PrincipalKey): Promise<number> {
    const version = await this.versions.increment(familyId, cid, resource);
    await this.tell({ familyId, cid, did }, resource, version, by);
    return version;
  }

  /** Tells a watch that was just bound which versions the child's settings have; of what is default it need not know. */
  async publishAll(child: ChildLink, by: PrincipalKey): Promise<void> {
    for (const { resource, version } of await this.versions.findChanged(child.familyId, child.cid))
      await this.tell(child, resource, version, by);
  }

  /** How the resource stands on the watch that is bound now; what was said in another binding does not count. */
  async findStatus({ familyId, cid, did }: ChildLink, resource: SettingsResource): Promise<SettingsStatus> {
    const { version, answer } = await this.versions.find(familyId, cid, resource);
    if (!answer || answer.did !== did) return toSettingsStatus(version, null);
    const binding = await this.bindings.findAt(did, Date.now());
    return toSettingsStatus(version, binding?.boundAt === answer.boundAt ? answer : null);
  }

  private async tell(child: ChildLink, resource: SettingsResource, version: number, by: PrincipalKey): Promise<void> {
    const { familyId, cid, did } = child;
    const payload = { familyId, cid, did, resource, version, by };
    await this.outbox.append({ name: 'userctx.watch-settings.changed', key: familyId, payload });
  }
}
