import { Injectable } from '@nestjs/common';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';

/** A generation of the key that signs addresses; replicas share it. `signsFrom`: Unix milliseconds. */
export interface UrlSigningKeyRecord {
  keyId: number;
  secret: Buffer;
  signsFrom: number;
}

@Injectable()
export class UrlSigningKeyRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /** Oldest first. */
  findAll(): Promise<UrlSigningKeyRecord[]> {
    return this.unitOfWork.executor.query<UrlSigningKeyRecord>(
      `SELECT key_id AS "keyId", secret, signs_from AS "signsFrom" FROM mcdisk.link_key ORDER BY key_id`,
    );
  }

  /** Of replicas that make the same generation at once, the first one's stays. */
  async insertIfAbsent({ keyId, secret, signsFrom }: UrlSigningKeyRecord): Promise<void> {
    await this.unitOfWork.executor.query(
      `INSERT INTO mcdisk.link_key (key_id, secret, signs_from) VALUES ($1, $2, $3) ON CONFLICT (key_id) DO NOTHING`,
      [keyId, secret, signsFrom],
    );
  }

  async removeBefore(keyId: number): Promise<void> {
    await this.unitOfWork.executor.query(`DELETE FROM mcdisk.link_key WHERE key_id < $1`, [keyId]);
  }
}
