import { randomBytes } from 'node:crypto';
import { envelopeData, type RestClient } from '@family-watch/client';
import { retryUntilAvailable } from '../retry.js';
import { CLOUD_PATH, fetchBytes, findCloudId, uploadFile } from './family-cloud.js';

const FILE_SIZE_BYTES = 200_000;
const FILE_NAME = 'walk around the lake.bin';

/** Uploads, lists, downloads and deletes one file of the family cloud. */
export class FileRoundTrip {
  readonly bytes = randomBytes(FILE_SIZE_BYTES);
  private cloudID = '';
  private contentID = '';

  constructor(private readonly api: RestClient) {}

  async upload(): Promise<void> {
    this.cloudID = await findCloudId(this.api);
    this.contentID = await uploadFile(this.api, this.cloudID, { name: FILE_NAME, bytes: this.bytes });
  }

  /** Returns whether the cloud lists the file with its name and size. */
  async isListed(): Promise<boolean> {
    const body = { cloudID: this.cloudID };
    const { cloudContentList } = await retryUntilAvailable(() =>
      envelopeData(this.api.POST(`${CLOUD_PATH}/queryContentList`, { body })),
    );
    const listed = cloudContentList.find(({ contentID }) => contentID === this.contentID);
    return listed?.contentName === FILE_NAME && listed.contentSize === this.bytes.length;
  }

  /** Downloads the file. @returns whether the downloaded bytes equal the uploaded bytes */
  async isDownloadedUnchanged(): Promise<boolean> {
    const body = { cloudID: this.cloudID, contentID: this.contentID };
    const { downloadURL } = await retryUntilAvailable(() =>
      envelopeData(this.api.POST(`${CLOUD_PATH}/getFileDownLoadURL`, { body })),
    );
    const response = await retryUntilAvailable(() => fetchBytes(downloadURL));
    return response.ok && this.bytes.equals(new Uint8Array(await response.arrayBuffer()));
  }

  /** Moves the file to the recycle bin. @returns whether exactly this file was deleted */
  async delete(): Promise<boolean> {
    const body = { cloudID: this.cloudID, contentIDList: [this.contentID] };
    const result = await retryUntilAvailable(() =>
      envelopeData(this.api.POST(`${CLOUD_PATH}/deleteContents`, { body })),
    );
    return result.deleteContIDList.join() === this.contentID && result.failureContIDList.length === 0;
  }
}
