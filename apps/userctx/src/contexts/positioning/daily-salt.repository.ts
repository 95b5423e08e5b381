import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';

const SALT_BYTES = 32;

/** Stores one random salt per day (days since 1970, UTC). A salt is deleted when its day is over. */
@Injectable()
export class DailySaltRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  async findOrCreate(day: number): Promise<Buffer> {
    const found = await this.find(day);
    if (found) return found;
    await this.unitOfWork.executor.query(
      'insert into userctx.witness_salt (day, salt) values ($1, $2) on conflict on constraint witness_salt_pk do nothing',
      [day, randomBytes(SALT_BYTES)],
    );
    const created = await this.find(day);
    if (!created) throw new Error('The salt was deleted right after it was created or found');
    return created;
  }

  async deleteBefore(day: number): Promise<void> {
    await this.unitOfWork.executor.query('delete from userctx.witness_salt where day < $1', [day]);
  }

  private async find(day: number): Promise<Buffer | undefined> {
    const [row] = await this.unitOfWork.prepared.query<{ salt: Buffer }>(
      'select salt from userctx.witness_salt where day = $1',
      [day],
    );
    return row?.salt;
  }
}
