import { UnitOfWork } from '@family-watch/platform/database/unit-of-work';

/** Unit of work of the userctx database. A separate class, so that each app gets its own in standalone. */
export class UserctxUnitOfWork extends UnitOfWork {}
