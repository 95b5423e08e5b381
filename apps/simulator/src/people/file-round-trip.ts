import { createHash, randomBytes } from 'node:crypto';
import { envelopeData } from '@family-watch/client/rest/response-data';
import type { RestClient } from '@family-watch/client/rest/rest-client';
import { NetworkError } from '@family-watch/client/api-error';
import { retryUntilAvailable } from '../retry.js';

const CLOUD = '/app-api/mcdisk/wristwatch/familyCloud';
const FILE_SIZE = 200_000;
const FILE_NAME = 'walk around the lake.bin';

/** The family cloud as one parent uses it. */
export class FileRoundTrip {
  readonly bytes = randomBytes(FILE_SIZE);
  private cloudID = '';
  private contentID = '';

  constructor(private readonly api: RestClient) {}

  /** Announces and sends the file. @throws Error if the receipt is about other bytes */
  async upload(): Promise<void> {
    this.cloudID = await this.findCloud();
    const digest = createHash('sha256').update(this.bytes).digest('hex');
    const uploadContentList = [{ contentName: FILE_NAME, contentSize: this.bytes.length, digest }];
    await retryUntilAvailable(async () => {
      const body = { cloudID: this.cloudID, uploadContentList };
      const { uploadResult } = await envelopeData(this.api.POST(`${CLOUD}/getFileUploadURL`, { body }));
      const [announced] = uploadResult.newContentIDList;
      if (!announced) throw new Error('no address to upload to');
      const answer = await fetchBytes(announced.uploadURL, { method: 'PUT', body: this.bytes });
      if (!answer.ok) throw new Error(`the upload was answered with ${answer.status}`);
      const { data } = (await answer.json()) as { data: { contentID: string; digest: string } };
      if (data.digest !== digest) throw new Error('the receipt is about other bytes');
      this.contentID = data.contentID;
    });
  }

  /** True while the cloud lists the file with its size. */
  async isListed(): Promise<boolean> {
    const body = { cloudID: this.cloudID };
    const { cloudContentList } = await retryUntilAvailable(() =>
      envelopeData(this.api.POST(`${CLOUD}/queryContentList`, { body })),
    );
    const listed = cloudContentList.find(({ contentID }) => contentID === this.contentID);
    return listed?.contentName === FILE_NAME && listed.contentSize === this.bytes.length;
  }

  /** True if what comes back is the file, byte by byte. */
  async isDownloadedUnchanged(): Promise<boolean> {
    const body = { cloudID: this.cloudID, contentID: this.contentID };
    const { downloadURL } = await retryUntilAvailable(() =>
      envelopeData(this.api.POST(`${CLOUD}/getFileDownLoadURL`, { body })),
    );
    const answer = await retryUntilAvailable(() => fetchBytes(downloadURL));
    return answer.ok && this.bytes.equals(new Uint8Array(await answer.arrayBuffer()));
  }

  /** True if exactly this file went to the recycle bin. */
  async delete(): Promise<boolean> {
    const body = { cloudID: this.cloudID, contentIDList: [this.contentID] };
    const result = await retryUntilAvailable(() => envelopeData(this.api.POST(`${CLOUD}/deleteContents`, { body })));
    return result.deleteContIDList.join() === this.contentID && result.failureContIDList.length === 0;
  }

  /** The cloud is made by an event after the first child; until then the service asks for patience. */
  private async findCloud(): Promise<string> {
    const { familyCloudList } = await retryUntilAvailable(() =>
      envelopeData(this.api.POST(`${CLOUD}/queryFamilyCloud`, { body: {} })),
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
    throw new NetworkError('the file store cannot be reached', { cause });
  }
}
