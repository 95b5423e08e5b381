import { Injectable } from '@nestjs/common';
import { Any, In, MoreThan, Not } from 'typeorm';
import { FIRMWARE_IMAGE_STATE } from '@family-watch/domain/watches/contracts/firmware';
import {
  FirmwareGroupEntity,
  FirmwareGroupMemberEntity,
  FirmwareImageEntity,
} from '@family-watch/domain/watches/entities/firmware.entities';
import type { Page } from '@family-watch/domain/kernel/contracts/pagination';
import { findTimePage, insertIfAbsent } from '@family-watch/platform/database/entity-queries';
import type { TimePageRequest } from '@family-watch/platform/database/page-cursor';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';

/** Omits unknown watches and watches that are being deleted. */
const ADD_GROUP_MEMBERS = `
  INSERT INTO userctx.firmware_group_member (group_id, did)
  SELECT $1, did FROM userctx.watch WHERE did = ANY ($2::bigint[]) AND revoked_at IS NULL
   ORDER BY did FOR KEY SHARE
  ON CONFLICT DO NOTHING RETURNING did`;

const { ANNOUNCED, READY, WITHDRAWN } = FIRMWARE_IMAGE_STATE;

/** Stores firmware images, and groups of watches. */
@Injectable()
export class FirmwareRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Returns false if there is an image with this model and version, also a withdrawn one. */
  addImage(image: FirmwareImageEntity): Promise<boolean> {
    return insertIfAbsent(this.images, image);
  }

  findImage(imageId: string): Promise<FirmwareImageEntity | null> {
    return this.images.findOneBy({ imageId });
  }

  /** Returns the image and prevents its withdrawal until the transaction ends. */
  lockImageForShare(imageId: string): Promise<FirmwareImageEntity | null> {
    return this.images.findOne({ where: { imageId }, lock: { mode: 'pessimistic_read' } });
  }

  findImageOfVersion(model: string, version: string): Promise<FirmwareImageEntity | null> {
    return this.images.findOneBy({ model, version });
  }

  findReadyImages(model: string): Promise<FirmwareImageEntity[]> {
    return this.images.findBy({ model, state: READY });
  }

  countImages(model: string): Promise<number> {
    return this.images.countBy({ model, state: Not(WITHDRAWN) });
  }

  /** Returns a page of images, newest first. */
  findImagePage(model: string | undefined, page: TimePageRequest): Promise<Page<FirmwareImageEntity>> {
    return findTimePage(this.images, model === undefined ? {} : { model }, { time: 'createdAt', id: 'imageId' }, page);
  }

  /** Marks an announced image as ready. Returns false for images in other states. */
  async markReady(imageId: string): Promise<boolean> {
    const { affected } = await this.images.update({ imageId, state: ANNOUNCED }, { state: READY });
    return affected === 1;
  }

  /** Returns false if the image does not exist or was withdrawn before. */
  async withdraw(imageId: string): Promise<boolean> {
    const { affected } = await this.images.update({ imageId, state: Not(WITHDRAWN) }, { state: WITHDRAWN });
    return affected === 1;
  }

  /** Returns false if the name is taken. */
  addGroup(group: FirmwareGroupEntity): Promise<boolean> {
    return insertIfAbsent(this.groups, group);
  }

  countGroups(): Promise<number> {
    return this.groups.count();
  }

  /** Returns the groups in the order of their names. */
  findGroups(limit: number): Promise<FirmwareGroupEntity[]> {
    return this.groups.find({ order: { name: 'ASC' }, take: limit });
  }

  async hasGroup(groupId: string): Promise<boolean> {
    return this.groups.existsBy({ groupId });
  }

  /**
   * Prevents the deletion of the group, and the removal of its watches, until the transaction ends. Returns false if
   * there is no such group.
   */
  async lockGroupForShare(groupId: string): Promise<boolean> {
    return (await this.groups.findOne({ where: { groupId }, lock: { mode: 'pessimistic_read' } })) !== null;
  }

  /**
   * Prevents that rollouts of the group are created or started until the transaction ends. Returns false if there is no
   * such group.
   */
  async lockGroup(groupId: string): Promise<boolean> {
    return (await this.groups.findOne({ where: { groupId }, lock: { mode: 'pessimistic_write' } })) !== null;
  }

  async deleteGroup(groupId: string): Promise<void> {
    await this.groups.delete({ groupId });
  }

  /** Adds watches to the group; ignores unknown and revoked watches. Returns the number of added watches. */
  async addMembers(groupId: string, dids: readonly number[]): Promise<number> {
    return (await this.unitOfWork.executor.query(ADD_GROUP_MEMBERS, [groupId, dids])).length;
  }

  /** Returns the number of removed watches. */
  async removeMembers(groupId: string, dids: readonly number[]): Promise<number> {
    const { affected } = await this.members.delete({ groupId, did: Any(dids) });
    return affected ?? 0;
  }

  /** Returns watches of the group after `afterDid`, in the order of their did. */
  async findMembers(groupId: string, afterDid: number, limit: number): Promise<number[]> {
    const found = await this.members.find({
      where: { groupId, did: MoreThan(afterDid) },
      order: { did: 'ASC' },
      take: limit,
    });
    return found.map(({ did }) => did);
  }

  /** Returns which of these groups contain the watch. */
  async findGroupIds(did: number, groupIds: readonly string[]): Promise<Set<string>> {
    if (groupIds.length === 0) return new Set();
    const found = await this.members.findBy({ did, groupId: In([...groupIds]) });
    return new Set(found.map(({ groupId }) => groupId));
  }

  private get images() {
    return this.unitOfWork.manager.getRepository(FirmwareImageEntity);
  }

  private get groups() {
    return this.unitOfWork.manager.getRepository(FirmwareGroupEntity);
  }

  private get members() {
    return this.unitOfWork.manager.getRepository(FirmwareGroupMemberEntity);
  }
}
