import { Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { POINT_FLAG } from '@family-watch/domain/locations/contracts/location';
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
export interface PointCorrection {
  reportedBy: PrincipalKey;
  comment: string | null;
  /** Unix milliseconds. */
  reportedAt: number;
}

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
    await this.unitOfWork.executor.query(
      `insert into userctx.location_wrong_report
         (did, position_time, point_type, family_id, cid, reported_by, comment, reported_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing`,
      [did, point.positionTime, point.pointType, familyId, cid, report.reportedBy, report.comment, report.reportedAt],
    );
  }

  async delete(familyId: string, cid: string, { did, point }: StoredPoint): Promise<void> {
    await this.unitOfWork.executor.query(
      `delete from userctx.location_wrong_report
        where did = $1 and position_time = $2 and point_type = $3 and cid = $4 and family_id = $5`,
      [did, point.positionTime, point.pointType, cid, familyId],
    );
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
    await this.unitOfWork.executor.query('delete from userctx.location_wrong_report where cid = $1', [cid]);
  }

  async deleteOld(reportedBefore: number): Promise<void> {
    await this.unitOfWork.executor.query('delete from userctx.location_wrong_report where reported_at < $1', [
      reportedBefore,
    ]);
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
}
