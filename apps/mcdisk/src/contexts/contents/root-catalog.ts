import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { parsePath } from './catalog-path.js';

/**
 * A cloud has its root catalog and no other; both ways to name one may be left empty.
 * @throws ServiceError CATALOG_NOT_FOUND
 */
export function assertRootCatalog({ catalogID = '', path = '' }: { catalogID?: string; path?: string }): void {
  const named = path === '' ? [] : parsePath(path);
  if (catalogID !== '' || named?.length !== 0) throw new ServiceError('CATALOG_NOT_FOUND');
}
