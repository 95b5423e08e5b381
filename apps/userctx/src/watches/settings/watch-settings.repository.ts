import { Injectable } from '@nestjs/common';
import { MoreThan } from 'typeorm';
import type { SettingsAckState, SettingsResource } from '@family-watch/domain/watches/contracts/settings-state';
import type { AlarmClockDto } from '@family-watch/domain/watches/dto/alarm-clock.dto';
import {
  SettingsVersionEntity,
  DeviceSettingsEntity,
  AlarmClockEntity,
} from '@family-watch/domain/watches/entities/watch-settings.entities';
import type { WatchBindingEntity } from '@family-watch/domain/watches/entities/watch.entities';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import type { DeviceSettings } from './device-settings.js';

const INCREMENT_SETTINGS_VERSION = `
  INSERT INTO userctx.settings_version AS stored (cid, resource, family_id, version) VALUES ($2, $3, $1, 1)
  ON CONFLICT (cid, resource) DO UPDATE SET version = stored.version + 1
  RETURNING version`;

/**
 * Identifies the binding in which a watch acknowledged settings. When a watch is bound again, the acknowledgements from
 * its earlier binding no longer count.
 */
export type BindingKey = Pick<WatchBindingEntity, 'did' | 'boundAt'>;

/**
 * The version of a settings resource and its newest acknowledgement, with the binding in which the watch acknowledged.
 */
export interface StoredVersion {
  resource: SettingsResource;
  version: number;
  ack: (SettingsAckState & BindingKey) | null;
}

/** An alarm as it is stored: without the time that is computed for each response. */
export type AlarmClock = Omit<AlarmClockDto, 'nextRingAt'>;

/** Stores the versions of a child's settings. A settings resource without a row was never changed. */
@Injectable()
export class WatchSettingsRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  async findVersion(familyId: string, cid: string, resource: SettingsResource): Promise<StoredVersion> {
    const row = await this.settingsVersions.findOneBy({ familyId, cid, resource });
    return row ? toVersion(row) : { resource, version: 0, ack: null };
  }

  /** Returns the settings resources of the child that were changed at least once. */
  async findChangedVersions(familyId: string, cid: string): Promise<StoredVersion[]> {
    const rows = await this.settingsVersions.find({
      where: { familyId, cid, version: MoreThan(0) },
      order: { resource: 'ASC' },
    });
    return rows.map(toVersion);
  }

  /**
   * Reads like {@link findVersion} and locks the row until the transaction ends. Returns undefined if the settings
   * resource was never changed.
   */
  async lockVersion(familyId: string, cid: string, resource: SettingsResource): Promise<StoredVersion | undefined> {
    const row = await this.settingsVersions.findOne({
      where: { familyId, cid, resource },
      lock: { mode: 'pessimistic_write' },
    });
    return row ? toVersion(row) : undefined;
  }

  async incrementVersion(familyId: string, cid: string, resource: SettingsResource): Promise<number> {
    const parameters = [familyId, cid, resource];
    const [row] = await this.unitOfWork.executor.query<{ version: number }>(INCREMENT_SETTINGS_VERSION, parameters);
    if (!row) throw new Error('The version update returned no row');
    return row.version;
  }

  async saveAck(
    familyId: string,
    cid: string,
    resource: SettingsResource,
    { version: acknowledgedVersion, ...ack }: SettingsAckState & BindingKey,
  ): Promise<void> {
    const { did, boundAt, status, reason, appliedVersion } = ack;
    await this.settingsVersions.update(
      { familyId, cid, resource },
      { did, boundAt, acknowledgedVersion, status, reason, appliedVersion },
    );
  }

  /** Deletes versions, device settings and alarms of an erased child. */
  async erase(cid: string): Promise<void> {
    await this.settingsVersions.delete({ cid });
    await this.deviceSettings.delete({ cid });
    await this.alarms.delete({ cid });
  }

  /** Returns undefined if the device settings were never changed. */
  async findDeviceSettings(familyId: string, cid: string): Promise<DeviceSettings | undefined> {
    const row = await this.deviceSettings.findOneBy({ familyId, cid });
    if (!row) return undefined;
    const { familyId: _, cid: __, temporaryMode: mode, temporaryUntil: until, powerOn, powerOff, ...fields } = row;
    const temporaryMode = mode === null || until === null ? null : { mode, until };
    const powerSchedule = powerOn === null || powerOff === null ? null : { on: powerOn, off: powerOff };
    return { ...fields, temporaryMode, powerSchedule };
  }

  async saveDeviceSettings(
    familyId: string,
    cid: string,
    { temporaryMode, powerSchedule, ...fields }: DeviceSettings,
  ): Promise<void> {
    const { mode = null, until = null } = temporaryMode ?? {};
    const { on = null, off = null } = powerSchedule ?? {};
    const row = {
      ...fields,
      familyId,
      cid,
      temporaryMode: mode,
      temporaryUntil: until,
      powerOn: on,
      powerOff: off,
    };
    await this.deviceSettings.upsert(row, ['cid']);
  }

  /** Returns the alarms in order of the time of day. */
  async findAlarms(familyId: string, cid: string): Promise<AlarmClock[]> {
    const alarms = await this.alarms.find({
      where: { familyId, cid },
      order: { hour: 'ASC', minute: 'ASC', createdAt: 'ASC', alarmId: 'ASC' },
    });
    return alarms.map(toAlarmClock);
  }

  async findAlarm(familyId: string, cid: string, alarmId: string): Promise<AlarmClock | undefined> {
    const alarm = await this.alarms.findOneBy({ familyId, cid, alarmId });
    return alarm ? toAlarmClock(alarm) : undefined;
  }

  async addAlarm(familyId: string, cid: string, alarm: AlarmClock): Promise<void> {
    await this.alarms.insert({ ...alarm, familyId, cid, createdAt: alarm.setAt });
  }

  async updateAlarm(familyId: string, cid: string, { alarmId, ...changes }: AlarmClock): Promise<void> {
    await this.alarms.update({ familyId, cid, alarmId }, changes);
  }

  async removeAlarm(familyId: string, cid: string, alarmId: string): Promise<void> {
    await this.alarms.delete({ familyId, cid, alarmId });
  }

  private get settingsVersions() {
    return this.unitOfWork.manager.getRepository(SettingsVersionEntity);
  }

  private get deviceSettings() {
    return this.unitOfWork.manager.getRepository(DeviceSettingsEntity);
  }

  private get alarms() {
    return this.unitOfWork.manager.getRepository(AlarmClockEntity);
  }
}

/** Converts a row. A constraint of the table ensures that the columns of an acknowledgement are null together. */
function toVersion(row: SettingsVersionEntity): StoredVersion {
  const { resource, version, did, boundAt, acknowledgedVersion, status, reason, appliedVersion } = row;
  if (did === null || boundAt === null || acknowledgedVersion === null || status === null) {
    return { resource, version, ack: null };
  }
  return { resource, version, ack: { did, boundAt, version: acknowledgedVersion, status, reason, appliedVersion } };
}

function toAlarmClock({ familyId, cid, createdAt, ...alarm }: AlarmClockEntity): AlarmClock {
  return alarm;
}
