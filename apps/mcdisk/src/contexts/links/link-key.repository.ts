import { Injectable } from '@nestjs/common';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';

/** A generation of the key that signs addresses; replicas share it. `signsFrom`: Unix milliseconds. */
export interface LinkKeyRecord {
  keyId: number;
  secret: Buffer;
  signsFrom: number;
}

@Injectable()
export class LinkKeyRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /** Oldest first. */
  findAll(): Promise<LinkKeyRecord[]> {
    return this.unitOfWork.executor.query<LinkKeyRecord>(
      `SELECT key_id AS "keyId", secret, signs_from AS "signsFrom" FROM mcdisk.link_key ORDER BY key_id`,
    );
  }

  /** Of replicas that make the same generation at once, the first one's stays. */
  async insertUnlessMade({ keyId, secret, signsFrom }: LinkKeyRecord): Promise<void> {
    await this.unitOfWork.executor.query(
      `INSERT INTO mcdisk.link_key (key_id, secret, signs_from) VALUES ($1, $2, $3) ON CONFLICT (key_id) DO NOTHING`,
      [keyId, secret, signsFrom],
    );
  }

  async removeBefore(keyId: number): Promise<void> {
    await this.unitOfWork.executor.query(`DELETE FROM mcdisk.link_key WHERE key_id < $1`, [keyId]);
  }
}
