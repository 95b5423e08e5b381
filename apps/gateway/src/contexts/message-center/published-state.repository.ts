import { Injectable } from '@nestjs/common';
import {
  WatchBatteryEntity,
  NotifiedFamilyEntity,
} from '@family-watch/domain/messages/entities/center-message.entities';
import { GatewayUnitOfWork } from '../../infrastructure/gateway-infrastructure.js';
import { UPSERT_NOTIFIED_FAMILY_IF_NEWER } from './message-center.sql.js';

/** Stores what center messages have last published about watches and families, to publish only changes. */
@Injectable()
export class PublishedStateRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /**
   * Returns the lowest battery level of the watch at which an alert was raised and above which the battery has not
   * risen since.
   */
  async findAlertedLevel(did: number): Promise<number | null> {
    const battery = await this.unitOfWork.manager.findOneBy(WatchBatteryEntity, { did });
    return battery?.alertedLevel ?? null;
  }

  async saveAlertedLevel(did: number, alertedLevel: number | null): Promise<void> {
    const batteries = this.unitOfWork.manager.getRepository(WatchBatteryEntity);
    if (alertedLevel === null) await batteries.delete({ did });
    else await batteries.upsert({ did, alertedLevel }, ['did']);
  }

  /** Returns the last published members of a family; locks the row until the current transaction ends. */
  lockFamily(familyId: string): Promise<NotifiedFamilyEntity | null> {
    return this.unitOfWork.manager.findOne(NotifiedFamilyEntity, {
      where: { familyId },
      lock: { mode: 'pessimistic_write' },
    });
  }

  async saveFamily({ familyId, version, members }: NotifiedFamilyEntity): Promise<void> {
    await this.unitOfWork.executor.query(UPSERT_NOTIFIED_FAMILY_IF_NEWER, [familyId, version, members]);
  }
}
