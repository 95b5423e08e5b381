import { Injectable } from '@nestjs/common';
import { McdiskUnitOfWork } from '../../infrastructure/mcdisk.unit-of-work.js';

/** A key that signs URLs, shared by all replicas. `signsFrom` in Unix milliseconds. */
export interface UrlSigningKeyRecord {
  keyId: number;
  secret: Buffer;
  signsFrom: number;
}

@Injectable()
export class UrlSigningKeyRepository {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  /** Returns all keys, oldest first. */
  findAll(): Promise<UrlSigningKeyRecord[]> {
    return this.unitOfWork.executor.query<UrlSigningKeyRecord>(
      `SELECT key_id AS "keyId", secret, signs_from AS "signsFrom" FROM mcdisk.link_key ORDER BY key_id`,
    );
  }

  /** Inserts a key unless a key with this id exists, because replicas may create the same key concurrently. */
  async insertIfAbsent({ keyId, secret, signsFrom }: UrlSigningKeyRecord): Promise<void> {
    await this.unitOfWork.executor.query(
      `INSERT INTO mcdisk.link_key (key_id, secret, signs_from) VALUES ($1, $2, $3) ON CONFLICT (key_id) DO NOTHING`,
      [keyId, secret, signsFrom],
    );
  }

  async deleteBefore(keyId: number): Promise<void> {
    await this.unitOfWork.executor.query(`DELETE FROM mcdisk.link_key WHERE key_id < $1`, [keyId]);
  }
}
