/** Role of a principal in a family cloud. A watch acts as its child. */
export const CLOUD_ROLE = {
  OWNER: 'OWNER',
  MANAGER: 'MANAGER',
  MEMBER: 'MEMBER',
  CHILD_DEVICE: 'CHILD_DEVICE',
} as const;
export type CloudRole = (typeof CLOUD_ROLE)[keyof typeof CLOUD_ROLE];

/** DELETE moves files to the recycle bin; PURGE deletes files permanently from the recycle bin. */
export const CLOUD_RIGHT = { READ: 'READ', ADD: 'ADD', DELETE: 'DELETE', PURGE: 'PURGE' } as const;
export type CloudRight = (typeof CLOUD_RIGHT)[keyof typeof CLOUD_RIGHT];
