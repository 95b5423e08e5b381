import { COMMAND_LINE_ACTOR } from '@family-watch/domain/operators/contracts/operator';
import { openAppDatabase, type AppDatabase } from '@family-watch/platform/database/app-database';
import { auditedFieldsOf } from '@family-watch/platform/http/operator-gate';
import type { AuditedCommand } from '@family-watch/platform/app/operator/operator-command';
import { AuditRepository } from '../operators/audit.repository.js';
import { userctxDatabase } from '../database/userctx-database.js';
import { UserctxUnitOfWork } from '../infrastructure/userctx-infrastructure.js';

/** The database of userctx, for one command. */
export interface CommandDatabase {
  database: AppDatabase;
  unitOfWork: UserctxUnitOfWork;
}

/**
 * Runs `work` on the database of userctx, without the services of userctx.
 * @throws DatabaseStartError if the service has never been started on this database
 */
export async function useCommandDatabase<Result>(
  url: string,
  work: (database: CommandDatabase) => Promise<Result>,
): Promise<Result> {
  const database = await openAppDatabase({ ...userctxDatabase, url, limits: { poolSize: 3 } });
  try {
    await database.assertSchemaSupported();
    return await work({ database, unitOfWork: new UserctxUnitOfWork(database.dataSource, database.schema) });
  } finally {
    await database.close();
  }
}

/** Adds a command to the audit list. Must be called before the command acts. */
export async function auditCommand({ unitOfWork }: CommandDatabase, command: AuditedCommand): Promise<void> {
  const { operation, fields } = command;
  await new AuditRepository(unitOfWork).append({
    actor: COMMAND_LINE_ACTOR,
    sessionId: null,
    operation,
    fields: auditedFieldsOf(fields, Object.keys(fields)),
    admitted: true,
    ip: null,
  });
}

/** Adds a command that does not use the database of userctx otherwise to the audit list. */
export function auditCommandAt(url: string, command: AuditedCommand): Promise<void> {
  return useCommandDatabase(url, (database) => auditCommand(database, command));
}
