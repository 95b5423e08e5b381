import { UnitOfWork } from '@family-watch/platform/database/unit-of-work';

/** Unit of work of the gateway database. A separate class, so that each app of standalone injects its own instance. */
export class GatewayUnitOfWork extends UnitOfWork {}
