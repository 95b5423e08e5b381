/** A deleted folder keeps its row, so that restoring a content can restore its folders. */
export const FOLDER_STATE = { ACTIVE: 'ACTIVE', DELETED: 'DELETED' } as const;
export type FolderState = (typeof FOLDER_STATE)[keyof typeof FOLDER_STATE];
