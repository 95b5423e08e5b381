import { UnitOfWork } from '@family-watch/platform/database/unit-of-work';

/**
 * Unit of work of the mcdisk database. Each app has a separate class as injection token, because standalone runs all
 * apps in one process.
 */
export class McdiskUnitOfWork extends UnitOfWork {}
