import { Injectable } from '@nestjs/common';
import type { SettingsAckState } from '@family-watch/domain/watch-settings/contracts/settings-state';
import type { SettingsResource } from '@family-watch/domain/watch-settings/contracts/watch-settings.events';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx.unit-of-work.js';

/**
 * Identifies the binding in which a watch acknowledged settings. A watch that is bound again has not acknowledged
 * anything yet.
 */
export interface BindingKey {
  did: number;
  /** Unix milliseconds. */
  boundAt: number;
}

/**
 * The version of a settings resource and its newest acknowledgement, with the binding in which the watch acknowledged.
 */
export interface StoredVersion {
  resource: SettingsResource;
  version: number;
  ack: (SettingsAckState & BindingKey) | null;
}

interface VersionRow {
  resource: SettingsResource;
  version: number;
  did: number | null;
  boundAt: number;
  acknowledgedVersion: number;
  status: SettingsAckState['status'];
  reason: string | null;
  appliedVersion: number | null;
}

const COLUMNS = `resource, version, answered_by as did, answered_in as "boundAt",
  answered_version as "acknowledgedVersion", answered_status as status, answered_reason as reason,
  applied_version as "appliedVersion"`;

/** Stores the versions of a child's settings. A settings resource without a row was never changed. */
@Injectable()
export class SettingsVersionRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  async find(familyId: string, cid: string, resource: SettingsResource): Promise<StoredVersion> {
    const [row] = await this.unitOfWork.executor.query<VersionRow>(
      `select ${COLUMNS} from userctx.settings_version where family_id = $1 and cid = $2 and resource = $3`,
      [familyId, cid, resource],
    );
    return row ? toVersion(row) : { resource, version: 0, ack: null };
  }

  /** Returns the settings resources of the child that were changed at least once. */
  async findChanged(familyId: string, cid: string): Promise<StoredVersion[]> {
    const rows = await this.unitOfWork.executor.query<VersionRow>(
      `select ${COLUMNS} from userctx.settings_version
        where family_id = $1 and cid = $2 and version > 0 order by resource`,
      [familyId, cid],
    );
    return rows.map(toVersion);
  }

  /**
   * Reads like {@link find} and locks the row until the transaction ends. Returns undefined if the settings resource
   * was never changed.
   */
  async lock(familyId: string, cid: string, resource: SettingsResource): Promise<StoredVersion | undefined> {
    const [row] = await this.unitOfWork.executor.query<VersionRow>(
      `select ${COLUMNS} from userctx.settings_version
        where family_id = $1 and cid = $2 and resource = $3 for update`,
      [familyId, cid, resource],
    );
    return row && toVersion(row);
  }

  async increment(familyId: string, cid: string, resource: SettingsResource): Promise<number> {
    const [row] = await this.unitOfWork.executor.query<{ version: number }>(
      `insert into userctx.settings_version as stored (cid, resource, family_id, version) values ($2, $3, $1, 1)
       on conflict (cid, resource) do update set version = stored.version + 1
       returning version`,
      [familyId, cid, resource],
    );
    if (!row) throw new Error('The version update returned no row');
    return row.version;
  }

  async saveAck(
    familyId: string,
    cid: string,
    resource: SettingsResource,
    { did, boundAt, ...ack }: SettingsAckState & BindingKey,
  ): Promise<void> {
    await this.unitOfWork.executor.query(
      `update userctx.settings_version
          set answered_by = $4, answered_in = $5, answered_version = $6, answered_status = $7, answered_reason = $8,
              applied_version = $9
        where family_id = $1 and cid = $2 and resource = $3`,
      [familyId, cid, resource, did, boundAt, ack.version, ack.status, ack.reason, ack.appliedVersion],
    );
  }

  async erase(cid: string): Promise<void> {
    await this.unitOfWork.executor.query('delete from userctx.settings_version where cid = $1', [cid]);
  }
}

function toVersion({ resource, version, did, boundAt, acknowledgedVersion, ...ackFields }: VersionRow): StoredVersion {
  return { resource, version, ack: did === null ? null : { ...ackFields, did, boundAt, version: acknowledgedVersion } };
}
