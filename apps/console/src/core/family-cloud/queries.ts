import { queryOptions } from '@tanstack/react-query';
import type { FamilyWatchClient } from '@family-watch/client';
import { toOwnOrigin } from './own-origin.js';

/** URLs of files are valid for five minutes. */
const URL_LIFETIME_MS = 4 * 60_000;

interface CloudContent {
  cloudID: string;
  contentID: string;
}

/** The clouds of the families of the person. */
export function cloudsQuery({ client }: { client: FamilyWatchClient }) {
  return queryOptions({
    queryKey: ['album', 'clouds'],
    queryFn: async ({ signal }) => (await client.familyCloud.queryFamilyCloud({}, { signal })).familyCloudList,
  });
}

/** A file of a family cloud with the URL of its thumbnail. */
export function contentQuery({ client }: { client: FamilyWatchClient }, { cloudID, contentID }: CloudContent) {
  return queryOptions({
    queryKey: ['family-cloud', 'content', cloudID, contentID],
    queryFn: async ({ signal }) => {
      const content = await client.familyCloud.queryContentInfo({ cloudID, contentID }, { signal });
      return { ...content, thumbnailURL: toOwnOrigin(content.thumbnailURL) };
    },
    staleTime: URL_LIFETIME_MS,
    gcTime: URL_LIFETIME_MS,
  });
}

/** The URL of the bytes of a file. */
export function downloadUrlQuery({ client }: { client: FamilyWatchClient }, { cloudID, contentID }: CloudContent) {
  return queryOptions({
    queryKey: ['family-cloud', 'download', cloudID, contentID],
    queryFn: ({ signal }) => downloadUrlOf(client, { cloudID, contentID }, signal),
    staleTime: URL_LIFETIME_MS,
    gcTime: URL_LIFETIME_MS,
  });
}

/** Returns a new URL of the bytes of a file. */
export async function downloadUrlOf(
  client: FamilyWatchClient,
  { cloudID, contentID }: CloudContent,
  signal?: AbortSignal,
): Promise<string> {
  const { downloadURL } = await client.familyCloud.getFileDownLoadURL({ cloudID, contentID }, { signal });
  return toOwnOrigin(downloadURL);
}
