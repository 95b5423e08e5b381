import type { Schema } from '@family-watch/client';
import {
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
  type QueryKey,
  type UseQueryResult,
} from '@tanstack/react-query';
import type { Session } from '../../../core/session/session-store.js';
import { toOwnOrigin } from '../../../core/family-cloud/own-origin.js';
import {
  hasMore,
  isBeingRead,
  nextPageNum,
  PAGE_SIZE,
  withFirstPage,
  withoutContents,
  withPage,
  type Content,
  type Library,
  type LibraryPage,
  type Listed,
  type ListedFile,
} from './library.js';

export type RecycledContent = Schema<'RecycledContentDto'>;

const BY_CAPTURE = 4;
const DESCENDING = 1;
const READING_INTERVAL_MS = 3_000;

export function diskQuery({ client }: Session, cloudID: string) {
  return queryOptions({
    queryKey: ['album', 'disk', cloudID],
    queryFn: ({ signal }) => client.familyCloud.queryDiskInfo({ cloudID }, { signal }),
  });
}

export function albumsQuery({ client }: Session, cloudID: string) {
  return queryOptions({
    queryKey: ['album', 'albums', cloudID],
    queryFn: async ({ signal }) => {
      const pageInfo = { pageNum: 1, pageSize: PAGE_SIZE };
      const { cloudPhotoList } = await client.familyCloud.queryCloudPhoto({ cloudID, pageInfo }, { signal });
      return cloudPhotoList.map((album) => ({ ...album, photoCoverURL: toOwnOrigin(album.photoCoverURL) }));
    },
  });
}

/** A list of files, and how its pages are loaded. */
export interface LibrarySource<Item extends ListedFile> {
  queryKey: QueryKey;
  loadPage: (pageNum: number, signal?: AbortSignal) => Promise<LibraryPage<Item>>;
}

/** All files of a cloud, the last captured first. */
export function contentsSource({ client }: Session, cloudID: string): LibrarySource<Listed<Content>> {
  return {
    queryKey: ['album', 'contents', cloudID],
    loadPage: async (pageNum, signal) => {
      const { cloudContentList, totalCount } = await client.familyCloud.queryContentList(
        {
          cloudID,
          contentSortType: BY_CAPTURE,
          sortDirection: DESCENDING,
          pageInfo: { pageNum, pageSize: PAGE_SIZE },
        },
        { signal },
      );
      return { items: listed(cloudContentList), totalCount };
    },
  };
}

/** Returns the id of a file of the album with these bytes. */
export async function findContent({ client }: Session, cloudID: string, digest: string): Promise<string | undefined> {
  const pageInfo = { pageNum: 1, pageSize: 1 };
  const { cloudContentList } = await client.familyCloud.queryContentList({ cloudID, digest, pageInfo });
  // Those who see only what is shared with them get files with other bytes, too.
  return cloudContentList.find((content) => content.digest === digest)?.contentID;
}

/** The files of an album, the last captured first. */
export function albumSource({ client }: Session, cloudID: string, photoID: string): LibrarySource<Listed<Content>> {
  return {
    queryKey: ['album', 'album', cloudID, photoID],
    loadPage: async (pageNum, signal) => {
      const { cloudContentList, totalCount } = await client.familyCloud.queryPhotoContents(
        { cloudID, photoID, pageInfo: { pageNum, pageSize: PAGE_SIZE } },
        { signal },
      );
      return { items: listed(cloudContentList), totalCount };
    },
  };
}

export function recycleBinSource({ client }: Session, cloudID: string): LibrarySource<Listed<RecycledContent>> {
  return {
    queryKey: ['album', 'recycle-bin', cloudID],
    loadPage: async (pageNum, signal) => {
      const { contentList, totalCount } = await client.familyCloud.queryRecycleList(
        { cloudID, pageInfo: { pageNum, pageSize: PAGE_SIZE } },
        { signal },
      );
      return { items: listed(contentList), totalCount };
    },
  };
}

/** The loaded files of a source, and the functions to load more and to take out what was deleted. */
export function useLibrary<Item extends ListedFile>({
  queryKey,
  loadPage,
}: LibrarySource<Item>): {
  query: UseQueryResult<Library<Item>>;
  more: { canLoad: boolean; isPending: boolean; isError: boolean; load: () => void };
  remove: (contentIDs: readonly string[]) => void;
} {
  const queries = useQueryClient();
  const query = useQuery({
    queryKey,
    queryFn: async ({ signal }) =>
      withFirstPage(queries.getQueryData<Library<Item>>(queryKey), await loadPage(1, signal)),
    refetchInterval: ({ state }) => (state.data && isBeingRead(state.data) ? READING_INTERVAL_MS : false),
  });
  const { mutate, isPending, isError } = useMutation({
    mutationFn: async () => {
      const library = queries.getQueryData<Library<Item>>(queryKey);
      if (!library || !hasMore(library)) return;
      const page = await loadPage(nextPageNum(library));
      queries.setQueryData<Library<Item>>(queryKey, (current) => current && withPage(current, page));
    },
  });
  return {
    query,
    more: { canLoad: query.data !== undefined && hasMore(query.data), isPending, isError, load: mutate },
    remove: (contentIDs) =>
      queries.setQueryData<Library<Item>>(queryKey, (library) => library && withoutContents(library, contentIDs)),
  };
}

function listed<Item extends { contentID: string; thumbnailURL: string; createTime: number }>(
  items: readonly Item[],
): Listed<Item>[] {
  const listedAt = Date.now();
  return items.map((item) => ({ ...item, thumbnailURL: toOwnOrigin(item.thumbnailURL), listedAt }));
}
