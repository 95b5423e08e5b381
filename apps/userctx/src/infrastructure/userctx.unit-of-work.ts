import { UnitOfWork } from '@family-watch/platform/database/unit-of-work';

/**
 * Unit of work of the userctx database. It is a separate class, so that each app injects its own unit of work in the
 * standalone server.
 */
export class UserctxUnitOfWork extends UnitOfWork {}
