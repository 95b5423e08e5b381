import { Injectable } from '@nestjs/common';
import { gauge } from '@family-watch/platform/observability/instruments';
import { OnScrape } from '@family-watch/platform/jobs/on-scrape.decorator';
import { BlobRepository } from './blob.repository.js';

const BYTES = gauge('blob_bytes', 'Estimated bytes of the stored blobs, from a sample.', ['app', 'state']);
const BLOBS = gauge('blobs', 'Estimated number of blobs, from a sample.', ['app', 'state']);

/** Measures the stored blobs of all clouds. */
@Injectable()
export class BlobMetricsService {
  constructor(private readonly blobs: BlobRepository) {}

  @OnScrape()
  async measure(): Promise<void> {
    for (const { state, blobs, bytes } of await this.blobs.estimate()) {
      BLOBS.set({ app: 'mcdisk', state }, blobs);
      BYTES.set({ app: 'mcdisk', state }, bytes);
    }
  }
}
