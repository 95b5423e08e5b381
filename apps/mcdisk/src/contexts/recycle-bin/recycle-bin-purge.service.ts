import { Injectable } from '@nestjs/common';
import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-access';
import type { PurgeContentsDto, PurgeContentsResultDto } from '@family-watch/domain/family-cloud/dto/recycle-bin.dto';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk-infrastructure.js';
import type { CloudActor } from '../clouds/cloud-actor.js';
import { CloudAccessService } from '../clouds/cloud-access.service.js';
import { assertSupportedTypes } from '../clouds/supported-types.js';
import { ContentStateRepository } from '../contents/content-state.repository.js';
import { decidePurge } from './recycle-bin-decisions.js';
import { RecycleBinEmptyingJob } from './recycle-bin-emptying.job.js';
import { RecycleBinEmptyingRepository } from './recycle-bin-emptying.repository.js';
import { ContentPurgeService } from './content-purge.service.js';
import { RecycleBinRepository } from './recycle-bin.repository.js';

/** Purges the given contents immediately, or schedules emptying of the whole recycle bin (purgeContents). */
@Injectable()
export class RecycleBinPurgeService {
  constructor(
    private readonly access: CloudAccessService,
    private readonly states: ContentStateRepository,
    private readonly recycleBin: RecycleBinRepository,
    private readonly emptyings: RecycleBinEmptyingRepository,
    private readonly emptyingJob: RecycleBinEmptyingJob,
    private readonly contentPurge: ContentPurgeService,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {}

  /**
   * @throws ServiceError VALIDATION_FAILED unless exactly one of `contentIDList` and `all` is given, PERMISSION_MISSING
   */
  async purge(caller: Principal, request: PurgeContentsDto): Promise<PurgeContentsResultDto> {
    assertSupportedTypes(request);
    const { cloudID, contentIDList, all = false } = request;
    if ((contentIDList !== undefined) === all) throw ambiguousSelection();
    const actor = await this.access.authorizeFor(cloudID, caller, CLOUD_RIGHT.PURGE);
    return contentIDList ? this.purgeContents(actor, contentIDList) : this.purgeAll(actor);
  }

  private purgeContents(actor: CloudActor, contentIDs: readonly string[]): Promise<PurgeContentsResultDto> {
    const ids = [...new Set(contentIDs)];
    return this.unitOfWork.run(async () => {
      const found = await this.states.lock(actor.cloudId, ids.filter(isUuid));
      const { doneIds, failedIds, changedContents } = decidePurge(actor, ids, found);
      await this.contentPurge.purge(changedContents, actor.principal, Date.now());
      return { purgeContIDList: doneIds, failureContIDList: failedIds, purging: 0 };
    });
  }

  /** Schedules emptying of the recycle bin. Contents that are deleted after this request stay in the recycle bin. */
  private async purgeAll({ cloudId, principal }: CloudActor): Promise<PurgeContentsResultDto> {
    const now = Date.now();
    const purging = await this.recycleBin.count(cloudId, now);
    if (purging > 0) {
      await this.emptyings.request({ cloudId, requestedBy: principal, recycledUntil: now });
      this.emptyingJob.trigger();
    }
    return { purgeContIDList: [], failureContIDList: [], purging };
  }
}

function ambiguousSelection(): ServiceError {
  const message = 'send either contentIDList or all';
  return new ServiceError('VALIDATION_FAILED', { details: [{ field: 'contentIDList', rule: 'either', message }] });
}
