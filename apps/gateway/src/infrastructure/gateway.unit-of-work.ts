import { UnitOfWork } from '@family-watch/platform/database/unit-of-work';

/**
 * Unit of work of the gateway database. Each app has a separate subclass, so that the apps inject their own instances
 * when standalone runs them in one process.
 */
export class GatewayUnitOfWork extends UnitOfWork {}
