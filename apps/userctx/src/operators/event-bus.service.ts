import { Injectable } from '@nestjs/common';
import { DEFAULT_PAGE_LIMIT } from '@family-watch/domain/kernel/contracts/pagination';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { APP_NAME, type AppName } from '@family-watch/domain/operators/contracts/app-administration';
import type {
  AppStatusDto,
  AppStatusesDto,
  DeadLetterIdsDto,
  DeadLetterPageDto,
  DeadLetterResultsDto,
  DeadLettersQueryDto,
} from '@family-watch/domain/operators/dto/event-bus.dto';
import { DatabaseUnavailableError } from '@family-watch/platform/errors/database-errors';
import { decodeCursor, toPage } from '@family-watch/platform/database/page-cursor';
import { AdministeredAppsService } from './administered-apps.service.js';

/** Shows operators what waits in the apps, and changes dead letters for them. */
@Injectable()
export class EventBusService {
  constructor(private readonly apps: AdministeredAppsService) {}

  /** Returns the status of every app that responds and can use its database. */
  async getStatus(): Promise<AppStatusesDto> {
    const names = Object.values(APP_NAME);
    const found = await Promise.all(names.map((app) => this.findStatus(app)));
    return {
      items: found.filter((status) => status !== null),
      unavailable: names.filter((_, index) => found[index] === null),
    };
  }

  /** @throws ServiceError VALIDATION_FAILED when the cursor is malformed; SERVICE_UNAVAILABLE if the app does not respond */
  async listDeadLetters({ app, handler, cursor, limit }: DeadLettersQueryDto): Promise<DeadLetterPageDto> {
    const [after = null] = cursor === undefined ? [] : decodeCursor(cursor, /^(\d{1,18})$/);
    const size = limit ?? DEFAULT_PAGE_LIMIT;
    const query = { handler: handler ?? null, after, limit: size + 1 };
    const found = await this.apps.ask(app, (administration) => administration.listDeadLetters(query));
    return toPage(found, size, ({ deadLetterId }) => [deadLetterId]);
  }

  /** @throws ServiceError SERVICE_UNAVAILABLE if the app does not respond; the request may be repeated */
  async replayDeadLetters({ app, deadLetterIds }: DeadLetterIdsDto): Promise<DeadLetterResultsDto> {
    const replayed = await this.apps.ask(app, (administration) => administration.replayDeadLetters(deadLetterIds));
    return { results: replayed.map((isReplayed) => (isReplayed ? 'REPLAYED' : 'NOT_FOUND')) };
  }

  /** @throws ServiceError SERVICE_UNAVAILABLE if the app does not respond; the request may be repeated */
  async dropDeadLetters({ app, deadLetterIds }: DeadLetterIdsDto): Promise<DeadLetterResultsDto> {
    const dropped = await this.apps.ask(app, (administration) => administration.dropDeadLetters(deadLetterIds));
    return { results: dropped.map((isDropped) => (isDropped ? 'DROPPED' : 'NOT_FOUND')) };
  }

  private async findStatus(app: AppName): Promise<AppStatusDto | null> {
    try {
      return await this.apps.ask(app, (administration) => administration.getStatus());
    } catch (error) {
      if (error instanceof ServiceError && error.reason === 'SERVICE_UNAVAILABLE') return null;
      // Each app may have a database of its own.
      if (error instanceof DatabaseUnavailableError) return null;
      throw error;
    }
  }
}
