import { Injectable } from '@nestjs/common';
import { LessThan } from 'typeorm';
import { POINT_FLAG } from '@family-watch/domain/locations/contracts/location';
import { PointCorrectionEntity } from '@family-watch/domain/locations/entities/location.entities';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { NON_CREDIBLE_BITS, toBits, pointColumns, toStoredPoint } from './stored-point.js';
import type { PointRow, StoredPoint } from './stored-point.js';

const WRONG_BIT = toBits([POINT_FLAG.REPORTED_WRONG]);
const POOR_ACCURACY_BIT = toBits([POINT_FLAG.POOR_ACCURACY]);

/** Selects the points to correct. Without `did`, points of any watch that the child has had match. */
export interface PointReference {
  positionTime: number;
  pointType: number;
  did?: number;
}

/** A guardian's report that a point is wrong. */
export type PointCorrection = Pick<PointCorrectionEntity, 'reportedBy' | 'comment' | 'reportedAt'>;

const COLUMNS = pointColumns('point');

/** Stores which location points were reported as wrong by guardians. */
@Injectable()
export class PointCorrectionRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  /** Flags points as wrong and returns the updated points, or an empty list if no point matches. */
  flagWrong(familyId: string, cid: string, reference: PointReference): Promise<StoredPoint[]> {
    return this.updateFlags(familyId, cid, reference, `point.flags | ${WRONG_BIT}`);
  }

  unflagWrong(familyId: string, cid: string, reference: PointReference): Promise<StoredPoint[]> {
    return this.updateFlags(familyId, cid, reference, `point.flags & ~${WRONG_BIT}`);
  }

  /** Stores the first report of a point; later reports are ignored. */
  async insertIfAbsent(
    familyId: string,
    cid: string,
    { did, point }: StoredPoint,
    report: PointCorrection,
  ): Promise<void> {
    const { positionTime, pointType } = point;
    const values = { ...report, did, positionTime, pointType, familyId, cid };
    await this.reports.createQueryBuilder().insert().values(values).orIgnore().execute();
  }

  async delete(familyId: string, cid: string, { did, point }: StoredPoint): Promise<void> {
    const { positionTime, pointType } = point;
    await this.reports.delete({ did, positionTime, pointType, cid, familyId });
  }

  /** Finds the newest credible point of good accuracy and the newest one of poor accuracy. */
  async findNewest(familyId: string, cid: string): Promise<StoredPoint[]> {
    const newest = (accuracy: string) => `(select ${COLUMNS} from userctx.location_point point
      where cid = $1 and flags & ${NON_CREDIBLE_BITS} = 0 and flags & ${POOR_ACCURACY_BIT} ${accuracy} 0
        and exists (select from userctx.family_child link where link.cid = $1 and link.family_id = $2)
      order by position_time desc, point_type, did limit 1)`;
    const rows = await this.unitOfWork.executor.query<PointRow>(`${newest('=')} union all ${newest('<>')}`, [
      cid,
      familyId,
    ]);
    return rows.map(toStoredPoint);
  }

  async erase(cid: string): Promise<void> {
    await this.reports.delete({ cid });
  }

  async deleteOld(reportedBefore: number): Promise<void> {
    await this.reports.delete({ reportedAt: LessThan(reportedBefore) });
  }

  private async updateFlags(
    familyId: string,
    cid: string,
    { positionTime, pointType, did }: PointReference,
    flags: string,
  ): Promise<StoredPoint[]> {
    const rows = await this.unitOfWork.executor.query<PointRow>(
      `update userctx.location_point point set flags = ${flags} from userctx.family_child link
        where point.cid = $1 and point.position_time = $3 and point.point_type = $4
          and ($5::bigint is null or point.did = $5) and link.cid = point.cid and link.family_id = $2
        returning ${COLUMNS}`,
      [cid, familyId, positionTime, pointType, did ?? null],
    );
    return rows.map(toStoredPoint);
  }

  private get reports() {
    return this.unitOfWork.manager.getRepository(PointCorrectionEntity);
  }
}
