import type { AppAdministration, DeadLetterQuery } from '@family-watch/domain/operators/app-administration';
import type { AppStatusDto, DeadLetterDto, JobQueueDto } from '@family-watch/domain/operators/dto/event-bus.dto';
import type { TransactionScope } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { DeadLetterStore } from '@family-watch/event-bus/dead-letters';
import { queryEventBusStatus } from '@family-watch/event-bus/event-bus-status';
import { OutboxRepository } from '@family-watch/event-bus/outbox.repository';

/** Maximum length of a text that an event or an error contains. */
const MAX_TEXT_LENGTH = 200;

/** Administers one app on its database. */
export class LocalAppAdministration implements AppAdministration {
  /** @param findQueues - measures the job queues of the running app; absent outside of the app */
  constructor(
    readonly app: string,
    private readonly scope: TransactionScope,
    private readonly findQueues: () => Promise<JobQueueDto[]> = () => Promise.resolve([]),
  ) {}

  async getStatus(): Promise<AppStatusDto> {
    const { app, scope } = this;
    const { unpublished, publicationDelayMs, retries, deadLetters } = await queryEventBusStatus(app, scope);
    return { app, unpublished, publicationDelayMs, retries, deadLetters, queues: await this.findQueues() };
  }

  async listDeadLetters({ handler, after, limit }: DeadLetterQuery): Promise<DeadLetterDto[]> {
    const found = await this.deadLetters.list({ handler: handler ?? undefined, after: after ?? undefined, limit });
    return found.map(({ id, handler: of, event, raw, attempts, deadLetteredAt, lastError }) => ({
      deadLetterId: id,
      handler: of,
      eventName: toBriefText(event?.name),
      eventId: event?.id ?? null,
      key: toBriefText(event?.key),
      rawBytes: raw?.byteLength ?? null,
      attempts,
      deadLetteredAt,
      lastError: toBriefText(lastError),
    }));
  }

  replayDeadLetters(ids: readonly string[]): Promise<boolean[]> {
    return forEachId(ids, (id) => this.deadLetters.replay(id));
  }

  dropDeadLetters(ids: readonly string[]): Promise<boolean[]> {
    return forEachId(ids, (id) => this.deadLetters.drop(id));
  }

  republishSince(time: number): Promise<number> {
    return new OutboxRepository(this.scope).requeueSince(time);
  }

  private get deadLetters() {
    return new DeadLetterStore(this.scope);
  }
}

/** Returns the beginning of the first line. */
function toBriefText(text: string | null | undefined): string | null {
  return text?.split('\n', 1)[0]?.slice(0, MAX_TEXT_LENGTH).toWellFormed() ?? null;
}

/** Changes one dead letter after the other, each in its own statement, so that a failure leaves the rest unchanged. */
async function forEachId(ids: readonly string[], change: (id: string) => Promise<boolean>): Promise<boolean[]> {
  const results: boolean[] = [];
  for (const id of ids) results.push(await change(id));
  return results;
}
