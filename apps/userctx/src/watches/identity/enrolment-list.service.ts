import { Injectable } from '@nestjs/common';
import { DEFAULT_PAGE_LIMIT } from '@family-watch/domain/kernel/contracts/pagination';
import { validationError } from '@family-watch/domain/kernel/contracts/service-error';
import type { EnrolmentListResult } from '@family-watch/domain/operators/contracts/enrolment-list';
import type {
  AddToEnrolmentListDto,
  EnrolmentListPageDto,
  EnrolmentListQueryDto,
  EnrolmentListResultsDto,
  RemoveFromEnrolmentListDto,
} from '@family-watch/domain/operators/dto/fleet.dto';
import { isImei } from '@family-watch/domain/watches/contracts/watch';
import type { EnrolmentListEntryEntity } from '@family-watch/domain/watches/entities/watch.entities';
import { decodeCursor, toPage } from '@family-watch/platform/database/page-cursor';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { WatchRepository } from '../watch.repository.js';
import { parsePublicKey } from './ed25519.js';

/** The list of watches that may enrol, which operators maintain. A change does not affect enrolled watches. */
@Injectable()
export class EnrolmentListService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly watches: WatchRepository,
  ) {}

  /**
   * Adds IMEIs, or replaces the manufacturer's key of listed IMEIs.
   * @throws ServiceError VALIDATION_FAILED for an invalid key
   */
  async add({ makerKey: keyText, imeis }: AddToEnrolmentListDto): Promise<EnrolmentListResultsDto> {
    const makerKey = parsePublicKey(keyText);
    if (!makerKey) throw validationError('makerKey', 'isPublicKey', 'makerKey must be a canonical Ed25519 key');
    return this.change(
      imeis,
      (entry) => (!entry ? 'ADDED' : entry.makerKey.equals(makerKey) ? 'UNCHANGED' : 'UPDATED'),
      async (results) => {
        const listedAt = Date.now();
        const changed = [...results].filter(([, result]) => result !== 'UNCHANGED');
        if (changed.length > 0)
          await this.watches.upsertListEntries(changed.map(([imei]) => ({ imei, makerKey, listedAt })));
      },
    );
  }

  remove({ imeis }: RemoveFromEnrolmentListDto): Promise<EnrolmentListResultsDto> {
    return this.change(
      imeis,
      (entry) => (entry ? 'REMOVED' : 'NOT_LISTED'),
      (results) => this.watches.deleteListEntries([...results.keys()]),
    );
  }

  /** @throws ServiceError VALIDATION_FAILED when the cursor is malformed */
  async list({ cursor, limit = DEFAULT_PAGE_LIMIT, imei }: EnrolmentListQueryDto): Promise<EnrolmentListPageDto> {
    const [after = ''] = cursor === undefined ? [] : decodeCursor(cursor, /^(\d{15})$/);
    const found =
      imei === undefined
        ? await this.watches.findListPage(after, limit + 1)
        : await this.watches.findListEntries([imei]);
    const page = toPage(found, limit, (entry) => [entry.imei]);
    const items = page.items.map((entry) => ({ ...entry, makerKey: entry.makerKey.toString('base64url') }));
    return { ...page, items };
  }

  /**
   * Applies `apply` to the distinct IMEIs with their results.
   * @param resultOf - returns the result for an IMEI from its entry in the list
   * @returns one result for each given text
   */
  private async change(
    imeis: readonly string[],
    resultOf: (entry: EnrolmentListEntryEntity | undefined) => EnrolmentListResult,
    apply: (results: ReadonlyMap<string, EnrolmentListResult>) => Promise<void>,
  ): Promise<EnrolmentListResultsDto> {
    const distinct = [...new Set(imeis.filter(isImei))];
    const results = await this.unitOfWork.run(async () => {
      const entries = new Map((await this.watches.findListEntries(distinct)).map((entry) => [entry.imei, entry]));
      const found = new Map(distinct.map((imei) => [imei, resultOf(entries.get(imei))]));
      await apply(found);
      return found;
    });
    const reported = new Set<string>();
    return {
      results: imeis.map((imei) => {
        if (reported.has(imei)) return 'DUPLICATE';
        reported.add(imei);
        return results.get(imei) ?? 'INVALID';
      }),
    };
  }
}
