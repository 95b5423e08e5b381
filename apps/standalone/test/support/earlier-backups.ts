import { join } from 'node:path';

/**
 * Two backups with the tables of the last build before 1.0.0 in the form of builds without authentication, of a family
 * with a file in an album: `plain`, and `encrypted` with the key in `encrypted/backup.key`. They must stay restorable.
 */
export const EARLIER_BACKUPS = join(import.meta.dirname, '../fixtures/backups-of-an-earlier-build.tar.gz');

/** What the backups contain. */
export const EARLIER_FAMILY = {
  secretKey: 'fixture-of-a-backup-of-an-earlier-build',
  owner: { areaCode: '+86', phoneNumber: '15862357392', password: 'correct-horse-battery-9' },
  familyId: 'e020cc7c-28d2-4999-9c6f-fcf636505bd2',
} as const;
