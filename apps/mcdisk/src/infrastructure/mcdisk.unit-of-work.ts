import { UnitOfWork } from '@family-watch/platform/database/unit-of-work';

/**
 * Unit of work of the mcdisk database. A separate class, so that each app has its own injection token in standalone.
 */
export class McdiskUnitOfWork extends UnitOfWork {}
