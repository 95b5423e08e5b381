import { ROOT_PATH, FAMILY_CATALOG_TYPE } from '@family-watch/domain/family-cloud/contracts/content';
import type { CatalogDto } from '@family-watch/domain/family-cloud/dto/content.dto';
import type { FolderEntity } from '@family-watch/domain/family-cloud/entities/content.entities';

/** Ids of the folders of a path, from the root down. The path of the root is the empty list. */
export type FolderPath = readonly string[];

/**
 * Parses `root:/<catalogID>/<catalogID>`; a trailing slash is ignored.
 * @returns `undefined` for text that is not a folder path
 */
export function parsePath(path: string): FolderPath | undefined {
  const [root, ...ids] = path.split('/');
  if (root !== ROOT_PATH) return undefined;
  if (ids.at(-1) === '') ids.pop();
  return ids.some((id) => id === '') ? undefined : ids;
}

export function formatPath(path: FolderPath): string {
  return [ROOT_PATH, ...path].join('/');
}

/** Returns whether the folder `path` is `ancestor` or one of its descendants. */
export function isDescendantPath(path: FolderPath, ancestor: FolderPath): boolean {
  return ancestor.length <= path.length && ancestor.every((id, depth) => path[depth] === id);
}

/** Returns whether the path is the root; an empty path is the root too. */
export function isRootPath(path: string): boolean {
  return path === '' || parsePath(path)?.length === 0;
}

/** A folder and its path. The root has the id `null` and an empty path. */
export interface ResolvedFolder {
  folderId: string | null;
  /** Folder ids from the root down, including the folder itself. */
  pathIds: string[];
}

/** Converts a folder to its DTO. */
export function toFolderDto(folder: FolderEntity): CatalogDto {
  return {
    catalogID: folder.folderId,
    parentCatalogID: folder.parentFolderId ?? '',
    catalogName: folder.name,
    catalogType: FAMILY_CATALOG_TYPE,
    path: formatPath(folder.pathIds),
    createTime: folder.createdAt,
    lastUpdateTime: folder.updatedAt,
  };
}
