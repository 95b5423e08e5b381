import { UnitOfWork } from '@family-watch/platform/database/unit-of-work';

/**
 * Unit of work of the userctx database. The separate class lets each app of the standalone server inject its own unit
 * of work.
 */
export class UserctxUnitOfWork extends UnitOfWork {}
