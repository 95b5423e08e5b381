import { Injectable } from '@nestjs/common';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';

/**
 * Stores for each watch the lowest battery level at which an alert was raised and above which the battery has not risen
 * since.
 */
@Injectable()
export class WatchBatteryRepository {
  constructor(private readonly unitOfWork: GatewayUnitOfWork) {}

  async find(did: number): Promise<number | null> {
    const [row] = await this.unitOfWork.executor.query<{ alertedLevel: number }>(
      'SELECT told AS "alertedLevel" FROM gateway.watch_battery WHERE did = $1',
      [did],
    );
    return row?.alertedLevel ?? null;
  }

  async save(did: number, alertedLevel: number | null): Promise<void> {
    if (alertedLevel === null) {
      await this.unitOfWork.executor.query('DELETE FROM gateway.watch_battery WHERE did = $1', [did]);
      return;
    }
    await this.unitOfWork.executor.query(
      `INSERT INTO gateway.watch_battery (did, told) VALUES ($1, $2)
       ON CONFLICT (did) DO UPDATE SET told = excluded.told`,
      [did, alertedLevel],
    );
  }
}
