import { UnitOfWork } from '@family-watch/platform/database/unit-of-work';

/** The unit of work of the mcdisk database; a class of its own, so that in standalone each app gets its own. */
export class McdiskUnitOfWork extends UnitOfWork {}
