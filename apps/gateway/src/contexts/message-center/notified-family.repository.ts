import { Injectable } from '@nestjs/common';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';

export interface NotifiedFamily {
  version: number;
  /** Ids of the members. */
  members: string[];
}

/** The members of families as the centre has last told of them, so that it knows who is new. */
@Injectable()
export class NotifiedFamilyRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /** Locked until the open unit ends. */
  async lock(familyId: string): Promise<NotifiedFamily | undefined> {
    const [row] = await this.unitOfWork.executor.query<NotifiedFamily>(
      'SELECT version, members FROM gateway.center_family WHERE family_id = $1 FOR UPDATE',
      [familyId],
    );
    return row;
  }

  async save(familyId: string, { version, members }: NotifiedFamily): Promise<void> {
    await this.unitOfWork.executor.query(
      `INSERT INTO gateway.center_family AS known (family_id, version, members) VALUES ($1, $2, $3)
       ON CONFLICT (family_id) DO UPDATE SET version = excluded.version, members = excluded.members
         WHERE known.version < excluded.version`,
      [familyId, version, members],
    );
  }
}
