/** A deleted folder keeps its row: a content that is restored brings its folders back. */
export const FOLDER_STATE = { ACTIVE: 'ACTIVE', DELETED: 'DELETED' } as const;
export type FolderState = (typeof FOLDER_STATE)[keyof typeof FOLDER_STATE];
