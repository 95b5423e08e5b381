import { Injectable } from '@nestjs/common';
import { CLOUD_RIGHT } from '@family-watch/domain/family-cloud/contracts/cloud-role';
import type { PurgeContentsDto, PurgeContentsResultDto } from '@family-watch/domain/family-cloud/dto/recycle-bin.dto';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';
import type { CloudActor } from '../clouds/cloud.access.js';
import { CloudAccessService } from '../clouds/cloud-access.service.js';
import { assertSupported } from '../clouds/supported-types.js';
import { ContentStateRepository } from '../contents/content-state.repository.js';
import { decidePurge } from './bin-decisions.js';
import { BinEmptyingJob } from './bin-emptying.job.js';
import { BinEmptyingRepository } from './bin-emptying.repository.js';
import { PurgingService } from './purging.service.js';
import { RecycleBinRepository } from './recycle-bin.repository.js';

/** purgeContents: some contents of the recycle bin at once, or all of them from now on. */
@Injectable()
export class PurgeService {
  constructor(
    private readonly access: CloudAccessService,
    private readonly states: ContentStateRepository,
    private readonly bin: RecycleBinRepository,
    private readonly emptyings: BinEmptyingRepository,
    private readonly emptying: BinEmptyingJob,
    private readonly purging: PurgingService,
    private readonly unitOfWork: McdiskUnitOfWork,
  ) {}

  /** @throws ServiceError VALIDATION_FAILED unless exactly one of the two is named; PERMISSION_MISSING */
  async purge(caller: Principal, request: PurgeContentsDto): Promise<PurgeContentsResultDto> {
    assertSupported(request);
    const { cloudID, contentIDList, all = false } = request;
    if ((contentIDList !== undefined) === all) throw ambiguous();
    const actor = await this.access.admitWith(cloudID, caller, CLOUD_RIGHT.PURGE);
    return contentIDList ? this.purgeThese(actor, contentIDList) : this.purgeAll(actor);
  }

  private purgeThese(actor: CloudActor, contentIDs: readonly string[]): Promise<PurgeContentsResultDto> {
    const ids = [...new Set(contentIDs)];
    return this.unitOfWork.run(async () => {
      const found = await this.states.lock(actor.cloudID, ids.filter(isUuid));
      const { done, failed, changed } = decidePurge(actor, ids, found);
      await this.purging.purge(changed, actor.principal, Date.now());
      return { purgeContIDList: done, failureContIDList: failed, purging: 0 };
    });
  }

  /** What is deleted after this moment stays. */
  private async purgeAll({ cloudID, principal }: CloudActor): Promise<PurgeContentsResultDto> {
    const now = Date.now();
    const purging = await this.bin.count(cloudID, now);
    if (purging > 0) {
      await this.emptyings.request({ cloudId: cloudID, requestedBy: principal, recycledUntil: now });
      this.emptying.wake();
    }
    return { purgeContIDList: [], failureContIDList: [], purging };
  }
}

function ambiguous(): ServiceError {
  const message = 'either contentIDList or all must be given';
  return new ServiceError('VALIDATION_FAILED', { details: [{ field: 'contentIDList', rule: 'either', message }] });
}
