import { UnitOfWork } from '@family-watch/platform/database/unit-of-work';

/** The unit of work of the userctx database; a class of its own, so that in standalone each app gets its own. */
export class UserctxUnitOfWork extends UnitOfWork {}
