/** The row of a deleted folder is retained, so that a restored file can be put back into its folder. */
export const FOLDER_STATE = { ACTIVE: 'ACTIVE', DELETED: 'DELETED' } as const;
export type FolderState = (typeof FOLDER_STATE)[keyof typeof FOLDER_STATE];
