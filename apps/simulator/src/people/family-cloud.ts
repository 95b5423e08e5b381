import { createHash } from 'node:crypto';
import { envelopeData, NetworkError, type RestClient } from '@family-watch/client';
import { pollUntil, retryUntilAvailable } from '../retry.js';

export const CLOUD_PATH = '/app-api/mcdisk/wristwatch/familyCloud';

/** Returns the id of the cloud of the caller's family, which the service creates after the family. */
export function findCloudId(api: RestClient): Promise<string> {
  return pollUntil('the family cloud', async () => {
    const { familyCloudList } = await envelopeData(api.POST(`${CLOUD_PATH}/queryFamilyCloud`, { body: {} }));
    return familyCloudList[0]?.cloudID;
  });
}

/**
 * Uploads a file. @returns its `contentID`
 * @throws Error if the digest in the response differs from the file's digest
 */
export async function uploadFile(
  api: RestClient,
  cloudID: string,
  { name, bytes }: { name: string; bytes: Buffer },
): Promise<string> {
  const digest = createHash('sha256').update(bytes).digest('hex');
  const body = { cloudID, uploadContentList: [{ contentName: name, contentSize: bytes.length, digest }] };
  return retryUntilAvailable(async () => {
    const { uploadResult } = await envelopeData(api.POST(`${CLOUD_PATH}/getFileUploadURL`, { body }));
    const [created] = uploadResult.newContentIDList;
    if (!created) throw new Error('the response has no upload URL');
    const response = await fetchBytes(created.uploadURL, { method: 'PUT', body: bytes });
    if (!response.ok) throw new Error(`the response to the upload has status ${response.status}`);
    const { data } = (await response.json()) as { data: { contentID: string; digest: string } };
    if (data.digest !== digest) throw new Error('the digest of the receipt differs');
    return data.contentID;
  });
}

/** Fetches a URL of the file store. @throws NetworkError if the file store is unreachable */
export async function fetchBytes(url: string, init?: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (cause) {
    throw new NetworkError('the file store is unreachable', { cause });
  }
}
