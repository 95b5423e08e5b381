import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { FIRMWARE_LIMITS } from '@family-watch/domain/watches/contracts/firmware';
import type {
  ChangedWatchesDto,
  FirmwareGroupDto,
  FirmwareGroupListDto,
  FirmwareGroupWatchesDto,
  FirmwareGroupWatchListDto,
  FirmwareGroupWatchListQueryDto,
} from '@family-watch/domain/watches/dto/firmware.dto';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { DEFAULT_PAGE_LIMIT } from '@family-watch/domain/kernel/contracts/pagination';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { decodeCursor, toPage } from '@family-watch/platform/database/page-cursor';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { FirmwareRepository } from './firmware.repository.js';
import { RolloutRepository } from './rollout.repository.js';

/** Manages groups of watches. A group may contain watches of several models. */
@Injectable()
export class FirmwareGroupsService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly firmware: FirmwareRepository,
    private readonly rollouts: RolloutRepository,
  ) {}

  /** @throws ServiceError FIRMWARE_GROUP_EXISTS, LIMIT_REACHED */
  async create(name: string): Promise<FirmwareGroupDto> {
    if ((await this.firmware.countGroups()) >= FIRMWARE_LIMITS.groups) throw new ServiceError('LIMIT_REACHED');
    const group = { groupId: randomUUID(), name, createdAt: Date.now() };
    if (!(await this.firmware.addGroup(group))) throw new ServiceError('FIRMWARE_GROUP_EXISTS');
    return group;
  }

  async list(): Promise<FirmwareGroupListDto> {
    return { items: await this.firmware.findGroups(FIRMWARE_LIMITS.groups) };
  }

  /** @throws ServiceError FIRMWARE_GROUP_NOT_FOUND, FIRMWARE_GROUP_IN_USE */
  async delete(groupId: string): Promise<void> {
    await this.unitOfWork.run(async () => {
      if (!isUuid(groupId) || !(await this.firmware.lockGroup(groupId)))
        throw new ServiceError('FIRMWARE_GROUP_NOT_FOUND');
      if (await this.rollouts.isGroupUsed(groupId)) throw new ServiceError('FIRMWARE_GROUP_IN_USE');
      await this.firmware.deleteGroup(groupId);
    });
  }

  /**
   * Adds watches. They also get the images of the group's rollouts that run or have finished.
   * @throws ServiceError FIRMWARE_GROUP_NOT_FOUND
   */
  async addWatches({ groupId, dids }: FirmwareGroupWatchesDto): Promise<ChangedWatchesDto> {
    return this.unitOfWork.run(async () => {
      await this.assertExists(groupId, (id) => this.firmware.lockGroupForShare(id));
      return { changed: await this.firmware.addMembers(groupId, dids) };
    });
  }

  /**
   * Removes watches. They no longer get the images of the group's rollouts; begun updates stay in the counts.
   * @throws ServiceError FIRMWARE_GROUP_NOT_FOUND
   */
  async removeWatches({ groupId, dids }: FirmwareGroupWatchesDto): Promise<ChangedWatchesDto> {
    return this.unitOfWork.run(async () => {
      // Excludes that updates of removed watches are added at the same time.
      await this.assertExists(groupId, (id) => this.firmware.lockGroup(id));
      const changed = await this.firmware.removeMembers(groupId, dids);
      await this.rollouts.deleteScheduled(groupId, dids);
      return { changed };
    });
  }

  /**
   * @throws ServiceError FIRMWARE_GROUP_NOT_FOUND
   * @throws ServiceError VALIDATION_FAILED when the cursor is malformed
   */
  async listWatches(query: FirmwareGroupWatchListQueryDto): Promise<FirmwareGroupWatchListDto> {
    const { groupId, cursor, limit = DEFAULT_PAGE_LIMIT } = query;
    const after = decodeDidCursor(cursor);
    await this.assertExists(groupId, (id) => this.firmware.hasGroup(id));
    return toPage(await this.firmware.findMembers(groupId, after, limit + 1), limit, (did) => [did]);
  }

  private async assertExists(groupId: string, exists: (groupId: string) => Promise<boolean>): Promise<void> {
    if (!isUuid(groupId) || !(await exists(groupId))) throw new ServiceError('FIRMWARE_GROUP_NOT_FOUND');
  }
}

/**
 * Returns the watch after which a page begins; 0 for the first page.
 * @throws ServiceError VALIDATION_FAILED when the cursor is malformed
 */
export function decodeDidCursor(cursor: string | undefined): number {
  return cursor === undefined ? 0 : Number(decodeCursor(cursor, /^(\d{1,16})$/)[0]);
}
