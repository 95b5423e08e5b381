import type { Person } from './accounts.js';

/** Uploads a file to the cloud of a family, as the page does it. @returns its contentID */
export async function uploadFile(
  { client }: Person,
  cloudID: string,
  contentName: string,
  bytes: Buffer,
): Promise<string> {
  const uploadContentList = [{ contentName, contentSize: bytes.length }];
  const { uploadResult } = await client.familyCloud.getFileUploadURL({ cloudID, uploadContentList });
  const [content] = uploadResult.newContentIDList;
  if (!content) throw new Error('The response names no file');
  const response = await fetch(content.uploadURL, { method: 'PUT', body: new Uint8Array(bytes) });
  if (!response.ok) throw new Error(await response.text());
  await client.familyCloud.completeUpload({ cloudID, uploadTaskID: uploadResult.uploadTaskID });
  return content.contentID;
}
