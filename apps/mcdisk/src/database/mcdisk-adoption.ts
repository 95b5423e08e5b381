import type { Adoption } from '@family-watch/platform/database/baseline-adoption';

/** How schemas of the last build before 1.0.0 adopt the baseline. */
export const mcdiskAdoption: Adoption = {
  lastMigration: 'FolderNames1790000002330',
  schemaChanges: [
    'ALTER TRIGGER content_followed_by_albums ON mcdisk.content RENAME TO copy_content_to_albums',
    'ALTER FUNCTION mcdisk.content_followed_by_albums() RENAME TO copy_content_to_albums',
  ],
  renamedHandlers: {
    'mcdisk.albums.forget-purged': 'mcdisk.albums.remove-purged',
    'mcdisk.endings.account': 'mcdisk.cleanup.schedule-account',
    'mcdisk.endings.child': 'mcdisk.cleanup.schedule-child',
    'mcdisk.endings.family': 'mcdisk.cleanup.schedule-family',
    'mcdisk.sharing.forget-purged': 'mcdisk.sharing.delete-purged',
    'mcdisk.sharing.keep-media-grant': 'mcdisk.sharing.store-media-grant',
  },
};
