import { Injectable } from '@nestjs/common';
import { gauge } from '@family-watch/platform/metrics/instruments';
import { OnScrape } from '@family-watch/platform/metrics/on-scrape.decorator';
import { McdiskUnitOfWork } from '../../../infrastructure/mcdisk-infrastructure.js';
import { ESTIMATE_BLOBS } from '../storage.sql.js';

const BYTES = gauge('blob_bytes', 'Estimated bytes of the stored blobs, from a sample.', ['app', 'state']);
const BLOBS = gauge('blobs', 'Estimated number of blobs, from a sample.', ['app', 'state']);

/** Measures the stored blobs of all clouds. */
@Injectable()
export class BlobMetricsService {
  constructor(private readonly unitOfWork: McdiskUnitOfWork) {}

  @OnScrape()
  async measure(): Promise<void> {
    const states = await this.unitOfWork.executor.query<{ state: string; blobs: number; bytes: number }>(
      ESTIMATE_BLOBS,
    );
    for (const { state, blobs, bytes } of states) {
      BLOBS.set({ app: 'mcdisk', state }, blobs);
      BYTES.set({ app: 'mcdisk', state }, bytes);
    }
  }
}
