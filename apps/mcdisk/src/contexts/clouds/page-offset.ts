import type { PageInfoDto } from '@family-watch/domain/family-cloud/dto/family-cloud-fields';
import { DEFAULT_PAGE_LIMIT } from '@family-watch/domain/kernel/contracts/pagination';

/** Converts a page to limit and offset; pages are numbered from 1. */
export function toLimitOffset(page: PageInfoDto = {}): { limit: number; offset: number } {
  const limit = page.pageSize ?? DEFAULT_PAGE_LIMIT;
  return { limit, offset: ((page.pageNum ?? 1) - 1) * limit };
}
