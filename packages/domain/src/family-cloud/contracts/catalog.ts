/** A deleted folder keeps its row: a content that is restored brings its folders back. */
export const CATALOG_STATE = { ACTIVE: 'ACTIVE', DELETED: 'DELETED' } as const;
export type CatalogState = (typeof CATALOG_STATE)[keyof typeof CATALOG_STATE];
