import * as childRead from '@family-watch/domain/privacy/entities/child-read.entities';
import * as account from '@family-watch/domain/accounts/entities/account.entities';
import * as accountDeletion from '@family-watch/domain/privacy/entities/account-deletion.entity';
import * as session from '@family-watch/domain/accounts/entities/session.entities';
import * as appRelease from '@family-watch/domain/operators/entities/app-release.entity';
import * as childRules from '@family-watch/domain/watches/entities/child-rules.entity';
import * as child from '@family-watch/domain/families/entities/child.entity';
import * as contact from '@family-watch/domain/families/entities/contact.entities';
import * as dataExport from '@family-watch/domain/privacy/entities/data-export.entity';
import * as family from '@family-watch/domain/families/entities/family.entities';
import * as joinRequest from '@family-watch/domain/families/entities/join-request.entities';
import * as fence from '@family-watch/domain/locations/entities/fence.entities';
import * as firmware from '@family-watch/domain/watches/entities/firmware.entities';
import * as friendship from '@family-watch/domain/families/entities/friendship.entities';
import { AccountErasureEntity } from '@family-watch/domain/kernel/entities/account-erasure.entity';
import { eventBusEntities } from '@family-watch/domain/kernel/entities/event-bus.entities';
import { IdempotencyKeyEntity } from '@family-watch/domain/kernel/entities/idempotency-key.entity';
import * as location from '@family-watch/domain/locations/entities/location.entities';
import * as operator from '@family-watch/domain/operators/entities/operator.entities';
import * as payment from '@family-watch/domain/payments/entities/payment.entities';
import * as radioNetwork from '@family-watch/domain/locations/entities/radio-network.entities';
import * as remoteCommand from '@family-watch/domain/watches/entities/remote-command.entity';
import * as sms from '@family-watch/domain/sms/entities/sms.entities';
import * as sos from '@family-watch/domain/sos/entities/sos.entities';
import * as watchSettings from '@family-watch/domain/watches/entities/watch-settings.entities';
import * as watch from '@family-watch/domain/watches/entities/watch.entities';
import type { DatabaseDeclaration } from '@family-watch/platform/database/app-database';
import { userctxAdoption } from './userctx-adoption.js';
import { userctxMigrations } from './userctx-migrations.js';
import { userctxRestoreSteps } from './userctx-restore.sql.js';

/** The entity classes of all rooms of userctx. */
const entities = Object.values({
  ...account,
  ...accountDeletion,
  ...session,
  ...appRelease,
  ...childRead,
  ...childRules,
  ...child,
  ...contact,
  ...dataExport,
  ...family,
  ...joinRequest,
  ...fence,
  ...firmware,
  ...friendship,
  ...location,
  ...operator,
  ...payment,
  ...radioNetwork,
  ...remoteCommand,
  ...sms,
  ...sos,
  ...watchSettings,
  ...watch,
});

/** The database of userctx: its schema, migrations and entities. */
export const userctxDatabase: DatabaseDeclaration = {
  name: 'userctx',
  schema: 'userctx',
  migrations: userctxMigrations,
  adoption: userctxAdoption,
  appendOnlyTables: ['operator_audit_entry', 'child_read'],
  entities: [...entities, ...eventBusEntities, IdempotencyKeyEntity, AccountErasureEntity],
  restoreSteps: userctxRestoreSteps,
};
