import { buffer } from 'node:stream/consumers';
import {
  RENDITION_STATE,
  type RenditionKind,
  type RenditionState,
} from '@family-watch/domain/family-cloud/contracts/blob';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { BlobStore } from '../../src/storage/blobs/blob-store.js';
import type { Rendition } from '../../src/renditions/rendition-plan.js';
import { RenditionService } from '../../src/renditions/rendition.service.js';
import type { CloudClient } from './cloud-client.js';
import { CloudServer } from './cloud-server.js';
import { createCloud } from './test-cloud.js';

/** A family cloud to which tests upload media to inspect their renditions. */
export class MediaLibrary {
  private constructor(
    readonly server: CloudServer,
    readonly client: CloudClient,
    readonly cloudID: string,
  ) {}

  static async open(): Promise<MediaLibrary> {
    const { server, owner, cloudID } = await createCloud(await CloudServer.start());
    return new MediaLibrary(server, owner, cloudID);
  }

  close(): Promise<void> {
    return this.server.stop();
  }

  get renditions(): RenditionService {
    return this.server.get(RenditionService);
  }

  /** Stores a file and returns the key of its blob. */
  async uploadFile(name: string, bytes: Uint8Array): Promise<string> {
    const contentID = await this.client.uploadFile(this.cloudID, name, bytes);
    return this.server.findBlobKey(contentID);
  }

  async findState(blobKey: string, kind: RenditionKind): Promise<RenditionState | undefined> {
    const [row] = await this.server.query<{ state: RenditionState }>(
      'SELECT state FROM mcdisk.rendition WHERE source_key = $1 AND kind = $2',
      [blobKey, kind],
    );
    return row?.state;
  }

  /** Waits until the state of the rendition is not WAITING, and returns the state. */
  async waitForState(blobKey: string, kind: RenditionKind): Promise<RenditionState | undefined> {
    await waitUntil(`the ${kind} to be finished`, async () => {
      const state = await this.findState(blobKey, kind);
      return state !== undefined && state !== RENDITION_STATE.WAITING;
    });
    return this.findState(blobKey, kind);
  }

  /**
   * Waits for the thumbnail of a blob and returns it.
   * @throws Error when the blob has no thumbnail
   */
  async waitForThumbnail(blobKey: string): Promise<Rendition & { bytes: Buffer }> {
    await this.waitForState(blobKey, 'THUMBNAIL');
    return this.read(blobKey, 'THUMBNAIL');
  }

  /**
   * Waits for the rendition of a blob that contacts and friends get instead of the original, and returns it.
   * @throws Error when the blob cannot be shared
   */
  async waitForSharedCopy(blobKey: string): Promise<Rendition & { bytes: Buffer }> {
    await this.renditions.findOrGenerate(blobKey, 'SHARED');
    await this.waitForState(blobKey, 'SHARED');
    return this.read(blobKey, 'SHARED');
  }

  /** Returns the capture times of the contents with these bytes, Unix milliseconds. */
  async captureTimesOf(blobKey: string): Promise<(number | null)[]> {
    const rows = await this.server.query<{ shot_at: number | null }>(
      'SELECT shot_at FROM mcdisk.content WHERE blob_key = $1',
      [blobKey],
    );
    return rows.map(({ shot_at }) => shot_at);
  }

  async readBytes(blobKey: string): Promise<Buffer> {
    return buffer(await this.server.get(BlobStore).open(blobKey));
  }

  private async read(blobKey: string, kind: RenditionKind): Promise<Rendition & { bytes: Buffer }> {
    const rendition = await this.renditions.find(blobKey, kind);
    if (!rendition) throw new Error(`No ${kind}: ${await this.findState(blobKey, kind)}`);
    return { ...rendition, bytes: await this.readBytes(rendition.blobKey) };
  }
}
