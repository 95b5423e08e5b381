import { createHash } from 'node:crypto';
import { envelopeData } from '@family-watch/client';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { createPicture } from './picture.js';
import type { RegisteredFamily } from './registered-family.js';

const CLOUD_PATH = '/app-api/mcdisk/wristwatch/familyCloud';

/** Uploads pictures to the album of a family and waits until each has a thumbnail. */
export async function uploadPictures({ owner: { api }, cloudID }: RegisteredFamily, count: number): Promise<void> {
  const pictures = Array.from({ length: count }, () => createPicture());
  const uploadContentList = pictures.map((bytes, index) => ({
    contentName: `picture-${index}.png`,
    contentSize: bytes.length,
    digest: createHash('sha256').update(bytes).digest('hex'),
  }));
  const { uploadResult } = await envelopeData(
    api.POST(`${CLOUD_PATH}/getFileUploadURL`, { body: { cloudID, uploadContentList } }),
  );
  for (const [index, { uploadURL }] of uploadResult.newContentIDList.entries()) {
    const response = await fetch(uploadURL, { method: 'PUT', body: pictures[index] as Uint8Array<ArrayBuffer> });
    if (!response.ok) throw new Error(`The upload of a picture returned ${response.status}`);
  }
  await waitUntil('every picture has a thumbnail', async () => {
    const { cloudContentList } = await envelopeData(api.POST(`${CLOUD_PATH}/queryContentList`, { body: { cloudID } }));
    return cloudContentList.filter(({ thumbnailURL }) => thumbnailURL !== '').length === count;
  });
}
