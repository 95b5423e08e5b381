import { Injectable } from '@nestjs/common';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';

export interface NotifiedFamily {
  version: number;
  /** Ids of the members. */
  members: string[];
}

/** Stores the members of each family as last published in center messages, to detect who joined or left. */
@Injectable()
export class NotifiedFamilyRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  /** Returns the stored members of a family; locks the row until the current transaction ends. */
  async lock(familyId: string): Promise<NotifiedFamily | undefined> {
    const [row] = await this.unitOfWork.executor.query<NotifiedFamily>(
      'SELECT version, members FROM gateway.center_family WHERE family_id = $1 FOR UPDATE',
      [familyId],
    );
    return row;
  }

  async save(familyId: string, { version, members }: NotifiedFamily): Promise<void> {
    await this.unitOfWork.executor.query(
      `INSERT INTO gateway.center_family AS existing (family_id, version, members) VALUES ($1, $2, $3)
       ON CONFLICT (family_id) DO UPDATE SET version = excluded.version, members = excluded.members
         WHERE existing.version < excluded.version`,
      [familyId, version, members],
    );
  }
}
