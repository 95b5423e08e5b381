import { ROOT_PATH } from '@family-watch/domain/family-cloud/contracts/content';

/** The catalogs from the root down to one; the root itself is the empty list. */
export type FolderPath = readonly string[];

/**
 * Reads `root:/<catalogID>/<catalogID>`; a slash at the end says nothing.
 * @returns `undefined` for text that names no catalog
 */
export function parsePath(path: string): FolderPath | undefined {
  const [root, ...ids] = path.split('/');
  if (root !== ROOT_PATH) return undefined;
  if (ids.at(-1) === '') ids.pop();
  return ids.some((id) => id === '') ? undefined : ids;
}

export function formatPath(chain: FolderPath): string {
  return [ROOT_PATH, ...chain].join('/');
}

/** True when what lies in catalog `chain` lies under catalog `top`, at whatever depth. */
export function isDescendantPath(chain: FolderPath, top: FolderPath): boolean {
  return top.length <= chain.length && top.every((id, depth) => chain[depth] === id);
}

/** True for a path that everything lies under; empty text means none. */
export function isRootPath(path: string): boolean {
  return path === '' || parsePath(path)?.length === 0;
}
