import { Injectable } from '@nestjs/common';
import type { FenceShape } from '@family-watch/domain/fences/contracts/fence';
import type { ActiveFence } from '@family-watch/domain/fences/evaluation/fence-state';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';

/** Identifies a child in its family. */
export interface ChildKey {
  familyId: string;
  cid: string;
}

type FenceRow = Omit<ActiveFence, keyof FenceShape> & { shape: FenceShape };

const COLUMNS = `fence_id as "fenceId", cid, name, shape, notify, dwell, windows, enabled, version,
  active_from as "activeFrom"`;

@Injectable()
export class FenceRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Returns the fences of a child, oldest first. */
  findByChild({ familyId, cid }: ChildKey): Promise<ActiveFence[]> {
    return this.find('cid = $1 and family_id = $2 order by created_at, fence_id', [cid, familyId]);
  }

  /** Returns the fences of several children, each child's oldest first. */
  findByChildren(children: readonly ChildKey[]): Promise<ActiveFence[]> {
    return this.find(
      `(cid, family_id) in (select * from unnest($1::uuid[], $2::uuid[])) order by created_at, fence_id`,
      [children.map(({ cid }) => cid), children.map(({ familyId }) => familyId)],
    );
  }

  async add(familyId: string, fence: ActiveFence, createdAt: number): Promise<void> {
    const { fenceId, cid, name, notify, dwell, windows, enabled, version, activeFrom } = fence;
    await this.unitOfWork.executor.query(
      `insert into userctx.fence (fence_id, cid, family_id, name, shape, notify, dwell, windows, enabled, version,
         active_from, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
      [
        fenceId,
        cid,
        familyId,
        name,
        toShapeJson(fence),
        JSON.stringify(notify),
        dwell,
        JSON.stringify(windows),
        enabled,
        version,
        activeFrom,
        createdAt,
      ],
    );
  }

  async update(familyId: string, fence: ActiveFence): Promise<void> {
    const { fenceId, cid, name, notify, dwell, windows, enabled, version, activeFrom } = fence;
    await this.unitOfWork.executor.query(
      `update userctx.fence set name = $4, shape = $5, notify = $6, dwell = $7, windows = $8, enabled = $9,
         version = $10, active_from = $11
        where fence_id = $1 and cid = $2 and family_id = $3`,
      [
        fenceId,
        cid,
        familyId,
        name,
        toShapeJson(fence),
        JSON.stringify(notify),
        dwell,
        JSON.stringify(windows),
        enabled,
        version,
        activeFrom,
      ],
    );
  }

  async remove({ familyId, cid }: ChildKey, fenceId: string): Promise<void> {
    await this.unitOfWork.executor.query(
      'delete from userctx.fence where fence_id = $1 and cid = $2 and family_id = $3',
      [fenceId, cid, familyId],
    );
  }

  async erase({ familyId, cid }: ChildKey): Promise<void> {
    await this.unitOfWork.executor.query('delete from userctx.fence where cid = $1 and family_id = $2', [
      cid,
      familyId,
    ]);
  }

  private async find(condition: string, parameters: readonly unknown[]): Promise<ActiveFence[]> {
    const rows = await this.unitOfWork.executor.query<FenceRow>(
      `select ${COLUMNS} from userctx.fence where ${condition}`,
      parameters,
    );
    return rows.map(({ shape, ...fence }) => ({ ...fence, ...shape }));
  }
}

function toShapeJson({ circle, polygon }: FenceShape): string {
  return JSON.stringify({ circle, polygon });
}
