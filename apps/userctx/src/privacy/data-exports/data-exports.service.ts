import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  DATA_EXPORT_PATH,
  DATA_EXPORT_STATE,
  EXPORT_FAILURE_REASON,
  type DataExportEvents,
  type DataExportState,
} from '@family-watch/domain/privacy/contracts/data-export';
import type {
  CreateDataExportDto,
  DataExportDto,
  LatestDataExportDto,
} from '@family-watch/domain/privacy/dto/data-export.dto';
import type { DataExportEntity } from '@family-watch/domain/privacy/entities/data-export.entity';
import { principalKey, type Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { UserctxOutbox, UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { AccountService } from '../../accounts/account.service.js';
import { TokenSigner } from '../../accounts/keys/token-signer.js';
import { DataExportRepository } from './data-export.repository.js';
import { ExportScopeService } from './export-scope.service.js';

const DAY_MS = 86_400_000;
const EXPIRY_INTERVAL_MS = 60_000;
const DELETION_INTERVAL_MS = 3_600_000;
const EXPIRY_BATCH_SIZE = 200;
/** Milliseconds without a report of mcdisk after which an export ends, so that the person can request another one. */
const MAX_SILENCE_MS = DAY_MS;

/** Milliseconds for which an archive can be downloaded. */
const ARCHIVE_RETENTION_MS = 7 * DAY_MS;

/** Milliseconds for which the person can see that an export ended or failed. */
const ENDED_EXPORT_RETENTION_MS = 30 * DAY_MS;

const { WAITING, READY, FAILED, ENDED } = DATA_EXPORT_STATE;
const { ERROR } = EXPORT_FAILURE_REASON;

/**
 * Exports of everything that a person may see. mcdisk assembles and stores the archive; this service decides who gets it
 * and for how long. A person has at most one archive.
 */
@Injectable()
export class DataExportsService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly outbox: UserctxOutbox,
    private readonly accounts: AccountService,
    private readonly signer: TokenSigner,
    private readonly scopes: ExportScopeService,
    private readonly exports: DataExportRepository,
  ) {}

  /**
   * Requests an export, which replaces the person's previous one.
   * @throws ServiceError STEP_UP_REQUIRED, RATE_LIMITED, OVERLOADED
   * @throws ServiceError CONFLICT while another export of the person is being assembled
   */
  async create(caller: Principal, { stepUp }: CreateDataExportDto): Promise<DataExportDto> {
    const userId = caller.id;
    await this.accounts.verifyStepUp(userId, stepUp);
    const { families, rights } = await this.scopes.find(userId);
    const exportId = randomUUID();
    return this.unitOfWork.run(async () => {
      const request = {
        exportId,
        userId,
        sessionId: caller.sessionId,
        state: WAITING,
        requestedAt: Date.now(),
        scope: [...rights],
        familyIds: families.map(({ familyId }) => familyId),
      };
      if (!(await this.exports.insertUnlessRunning(request))) throw new ServiceError('CONFLICT');
      for (const previous of await this.exports.findReady(userId)) await this.end(previous);
      await this.publish({ exportId, userId }, WAITING);
      return toDto(
        {
          ...request,
          records: 0,
          files: 0,
          bytes: 0,
          size: null,
          expiresAt: null,
          failureReason: null,
          reportedAt: null,
        },
        null,
      );
    });
  }

  /**
   * Returns the person's last export. An archive that the person may not read any more is deleted. Only the session that
   * requested the export gets the URL, because only that session was confirmed with a step-up.
   * @param origin origin by which the caller reaches the service
   */
  async findLatest(caller: Principal, origin: string): Promise<LatestDataExportDto> {
    const latest = await this.exports.findLatest(caller.id);
    if (!latest) return { export: null };
    if (latest.state !== READY) return { export: toDto(latest, null) };
    if ((latest.expiresAt ?? 0) <= Date.now() || !(await this.scopes.hasAll(caller.id, latest.scope))) {
      await this.unitOfWork.run(() => this.end(latest));
      return { export: toDto({ ...latest, state: ENDED }, null) };
    }
    if (latest.sessionId !== caller.sessionId) return { export: toDto(latest, null) };
    const { exportId } = latest;
    const ticket = await this.signer.signDataExportTicket({
      exportId,
      sub: principalKey(caller),
      sid: caller.sessionId,
    });
    return { export: toDto(latest, `${origin}${DATA_EXPORT_PATH}?ticket=${ticket}`) };
  }

  /** Records what mcdisk reports about the archive, in the current transaction. */
  async recordProgress(event: DataExportEvents['mcdisk.data-export.progressed']): Promise<void> {
    const { exportId, state, records, files, bytes, size, time, failureReason } = event;
    const found = await this.exports.find(exportId);
    if (!found) return;
    const outcome =
      state === READY
        ? { size, expiresAt: time + ARCHIVE_RETENTION_MS }
        : { failureReason: state === FAILED ? (failureReason ?? ERROR) : null };
    // The archive also contains what the person may see since the request.
    const { families, rights } = await this.scopes.find(found.userId);
    const scope = [...new Set([...found.scope, ...rights])];
    const familyIds = [...new Set([...found.familyIds, ...families.map(({ familyId }) => familyId)])];
    const progress = { state, records, files, bytes, scope, familyIds, reportedAt: time, ...outcome };
    const isRecorded = await this.exports.updateRunning(exportId, progress);
    if (isRecorded && (state === READY || state === FAILED)) await this.publish(found, state);
  }

  /** Ends the exports that contain data of the family which the person may not read any more. */
  async endUnauthorized(familyId: string): Promise<void> {
    for (const found of await this.exports.findByFamily(familyId))
      if (!(await this.scopes.hasAll(found.userId, found.scope))) await this.end(found);
  }

  @OnJob('userctx.data-exports.end-expired', { intervalMs: EXPIRY_INTERVAL_MS })
  async endExpired(now: number): Promise<void> {
    for (let found = EXPIRY_BATCH_SIZE; found === EXPIRY_BATCH_SIZE;) {
      found = await this.unitOfWork.run(async () => {
        const expired = await this.exports.findExpired(now, now - MAX_SILENCE_MS, EXPIRY_BATCH_SIZE);
        for (const each of expired) await this.end(each);
        return expired.length;
      });
    }
  }

  /** Deletes the records of exports that ended. An archive may be kept for longer, and its record is then too. */
  @OnJob('userctx.data-exports.delete-ended', { intervalMs: DELETION_INTERVAL_MS })
  async deleteExpiredRecords(now: number): Promise<void> {
    for (let deleted = EXPIRY_BATCH_SIZE; deleted === EXPIRY_BATCH_SIZE;)
      deleted = await this.exports.deleteExpiredRecords(now - ENDED_EXPORT_RETENTION_MS, EXPIRY_BATCH_SIZE);
  }

  /** Ends an export in the current transaction; mcdisk then deletes the archive. */
  private async end(ended: Pick<DataExportEntity, 'exportId' | 'userId'>): Promise<void> {
    if (await this.exports.end(ended.exportId)) await this.publish(ended, ENDED);
  }

  private async publish(
    { exportId, userId }: Pick<DataExportEntity, 'exportId' | 'userId'>,
    state: DataExportState,
  ): Promise<void> {
    const payload = { exportId, userId, state, time: Date.now() };
    await this.outbox.append({ name: 'userctx.data-export.changed', key: `user:${userId}`, payload });
  }
}

function toDto(
  { exportId, state, failureReason, requestedAt, records, files, bytes, size, expiresAt }: DataExportEntity,
  downloadURL: string | null,
): DataExportDto {
  return { exportId, state, failureReason, requestedAt, records, files, bytes, size, expiresAt, downloadURL };
}
