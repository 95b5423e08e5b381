import { Injectable } from '@nestjs/common';
import { validationError } from '@family-watch/domain/kernel/contracts/service-error';
import type { WatchStatesDto, WatchStatesQueryDto } from '@family-watch/domain/operators/dto/fleet.dto';
import { WatchBindingRepository } from '../binding/watch-binding.repository.js';
import { WatchRepository } from '../watch.repository.js';
import { WatchStatusRepository } from './watch-status.repository.js';

/** An IMEI is only a claim of a watch, so many watches can claim the same IMEI. */
const MAX_WATCHES = 50;

/** Finds states of watches for operators, without positions and without data of their children. */
@Injectable()
export class WatchStatesService {
  constructor(
    private readonly watches: WatchRepository,
    private readonly bindings: WatchBindingRepository,
    private readonly status: WatchStatusRepository,
  ) {}

  /**
   * Returns the watch with this `did`, or the watches that claim this IMEI; an empty list if there is none.
   * @throws ServiceError VALIDATION_FAILED unless the query contains either `did` or `imei`
   */
  async find({ did, imei }: WatchStatesQueryDto): Promise<WatchStatesDto> {
    if ((did === undefined) === (imei === undefined)) throw validationError('', 'either', 'provide either did or imei');
    const watch = did === undefined ? null : await this.watches.find(did);
    const found = imei === undefined ? (watch ? [watch] : []) : await this.watches.findByImei(imei, MAX_WATCHES);
    const dids = found.map((each) => each.did);
    const bindings = new Map((await this.bindings.findAllActive(dids)).map((binding) => [binding.did, binding]));
    const statuses = new Map((await this.status.findAll(dids)).map((status) => [status.did, status]));
    const listed = new Set(
      (await this.watches.findListEntries(found.map((each) => each.imei))).map((entry) => entry.imei),
    );
    const items = found.map((each) => {
      const [binding, status] = [bindings.get(each.did), statuses.get(each.did)];
      return {
        did: each.did,
        imei: each.imei,
        listed: listed.has(each.imei),
        model: each.model,
        firmwareVersion: status?.firmwareVersion ?? each.firmwareVersion,
        enrolledAt: each.enrolledAt,
        lastContactAt: each.lastContactAt,
        revokedAt: each.revokedAt,
        familyId: binding?.familyId ?? null,
        boundAt: binding?.boundAt ?? null,
        online: status?.online ?? null,
        battery: status?.battery ?? null,
      };
    });
    return { items };
  }
}
