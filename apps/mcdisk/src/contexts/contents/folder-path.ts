import { ROOT_PATH } from '@family-watch/domain/family-cloud/contracts/content';

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
