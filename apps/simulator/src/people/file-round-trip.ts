import { createHash, randomBytes } from 'node:crypto';
import { envelopeData, NetworkError } from '@family-watch/client';
import type { RestClient } from '@family-watch/client';
import { retryUntilAvailable } from '../retry.js';

const CLOUD_PATH = '/app-api/mcdisk/wristwatch/familyCloud';
const FILE_SIZE_BYTES = 200_000;
const FILE_NAME = 'walk around the lake.bin';

/** Uploads, lists, downloads and deletes one file of the family cloud. */
export class FileRoundTrip {
  readonly bytes = randomBytes(FILE_SIZE_BYTES);
  private cloudID = '';
  private contentID = '';

  constructor(private readonly api: RestClient) {}

  /** Uploads the file. @throws Error if the digest in the response differs from the file's digest */
  async upload(): Promise<void> {
    this.cloudID = await this.findCloud();
    const digest = createHash('sha256').update(this.bytes).digest('hex');
    const uploadContentList = [{ contentName: FILE_NAME, contentSize: this.bytes.length, digest }];
    await retryUntilAvailable(async () => {
      const body = { cloudID: this.cloudID, uploadContentList };
      const { uploadResult } = await envelopeData(this.api.POST(`${CLOUD_PATH}/getFileUploadURL`, { body }));
      const [created] = uploadResult.newContentIDList;
      if (!created) throw new Error('the response has no upload URL');
      const response = await fetchBytes(created.uploadURL, { method: 'PUT', body: this.bytes });
      if (!response.ok) throw new Error(`the response to the upload has status ${response.status}`);
      const { data } = (await response.json()) as { data: { contentID: string; digest: string } };
      if (data.digest !== digest) throw new Error('the digest of the receipt differs');
      this.contentID = data.contentID;
    });
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

  /** Returns the id of the family's cloud. @throws Error if the family has no cloud */
  private async findCloud(): Promise<string> {
    const { familyCloudList } = await retryUntilAvailable(() =>
      envelopeData(this.api.POST(`${CLOUD_PATH}/queryFamilyCloud`, { body: {} })),
    );
    const [cloud] = familyCloudList;
    if (!cloud) throw new Error('the family has no cloud');
    return cloud.cloudID;
  }
}

async function fetchBytes(url: string, init?: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (cause) {
    throw new NetworkError('the file store is unreachable', { cause });
  }
}
