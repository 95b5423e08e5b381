import type { MigrationInterface } from 'typeorm';
import { EventBus1790000002010 } from './2010-event-bus.migration.js';
import { FamilyCloud1790000002020 } from './2020-family-cloud.migration.js';
import { FileStore1790000002030 } from './2030-file-store.migration.js';
import { Folders1790000002035 } from './2035-folders.migration.js';
import { RecycleBin1790000002036 } from './2036-recycle-bin.migration.js';
import { SignedLinks1790000002050 } from './2050-signed-links.migration.js';
import { Albums1790000002070 } from './2070-albums.migration.js';
import { BatchTasks1790000002071 } from './2071-batch-tasks.migration.js';
import { Sharing1790000002075 } from './2075-sharing.migration.js';
import { Renditions1790000002080 } from './2080-renditions.migration.js';
import { Endings1790000002090 } from './2090-endings.migration.js';
import { AlbumOrder1790000002120 } from './2120-album-order.migration.js';
import { RenditionTurns1790000002121 } from './2121-rendition-turns.migration.js';
import { RefusedRemovals1790000002122 } from './2122-refused-removals.migration.js';
import { ContentCount1790000002140 } from './2140-content-count.migration.js';
import { DeadLetterRecovery1790000002160 } from './2160-dead-letter-recovery.migration.js';
import { CloudEntitlements1790000002250 } from './2250-cloud-entitlements.migration.js';
import { Firmware1790000002280 } from './2280-firmware.migration.js';
import { AccountErasure1790000002290 } from './2290-account-erasure.migration.js';
import { ExportArchives1790000002300 } from './2300-export-archives.migration.js';
import { ErasurePasses1790000002310 } from './2310-erasure-passes.migration.js';
import { ExportShares1790000002320 } from './2320-export-shares.migration.js';
import { FolderNames1790000002330 } from './2330-folder-names.migration.js';

/** Migrations in the order in which they run. */
export const mcdiskMigrations: readonly (new () => MigrationInterface)[] = [
  EventBus1790000002010,
  FamilyCloud1790000002020,
  FileStore1790000002030,
  Folders1790000002035,
  RecycleBin1790000002036,
  SignedLinks1790000002050,
  Albums1790000002070,
  BatchTasks1790000002071,
  Sharing1790000002075,
  Renditions1790000002080,
  Endings1790000002090,
  AlbumOrder1790000002120,
  RenditionTurns1790000002121,
  RefusedRemovals1790000002122,
  ContentCount1790000002140,
  DeadLetterRecovery1790000002160,
  CloudEntitlements1790000002250,
  Firmware1790000002280,
  AccountErasure1790000002290,
  ExportArchives1790000002300,
  ErasurePasses1790000002310,
  ExportShares1790000002320,
  FolderNames1790000002330,
];
