import { Inject, Injectable } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { SYSTEM_SENDER } from '@family-watch/domain/messages/contracts/message-kinds';
import { WatchPresenceEntity } from '@family-watch/domain/messages/entities/presence.entities';
import { WATCH_SHUTDOWN_CAUSE } from '@family-watch/domain/watches/contracts/watch';
import type { Clock } from '@family-watch/event-bus/clock';
import type { NewEventOf } from '@family-watch/event-bus/event-map';
import { Environment } from '@family-watch/platform/config/environment';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { GatewayOutbox, CLOCK, GatewayUnitOfWork } from '../../infrastructure/gateway-infrastructure.js';
import { toMailboxEntries } from '../../mailbox/mailbox-entry.js';
import { MailboxService } from '../../mailbox/mailbox.service.js';
import { filterRecipients } from '../../projections/delivery-access.js';
import { FamilyLookupService } from '../../projections/family-lookup.service.js';
import { PresenceRepository, type LivenessSummary } from './presence.repository.js';

/** Liveness of one watch as stored. Times are Unix milliseconds. */
export interface WatchLivenessState {
  online: boolean;
  /** Whether the current offline period needs no further processing; false while the watch is online. */
  offlinePeriodHandled: boolean;
  /** Time of the watch's last heartbeat or connection. */
  lastSeenAt: number;
  /** Time when a connection of the watch last ended, or `null` if the watch has connected since. */
  disconnectedAt: number | null;
  /** Time when the watch last announced its shutdown, or `null` if the watch has connected since. */
  shutDownAt: number | null;
}

export interface LivenessDecision {
  state: WatchLivenessState;
  /** Whether the watch has just gone offline. */
  wentOffline: boolean;
  /** True once per offline period, when the guardians must be notified that the watch's connection is lost. */
  isLost: boolean;
  /** Time of the next evaluation, or `null` when only an event of the watch can change the state. */
  dueAt: number | null;
}

/**
 * Evaluates whether a watch is offline or lost. A watch is offline when it has sent nothing for `timeoutMs`. A watch is
 * lost when it has also had no connection for `timeoutMs`, unless it had announced its shutdown.
 *
 * @param servingSince - time since which at least one node has been running without a gap; earlier time does not count
 * towards the timeout, because a watch could not send anything
 * @param timeoutMs - twice the heartbeat interval
 */
export function evaluateLiveness(
  state: WatchLivenessState,
  now: number,
  servingSince: number,
  timeoutMs: number,
): LivenessDecision {
  const offlineAt = Math.max(state.lastSeenAt, servingSince) + timeoutMs;
  const lostAt = Math.max(offlineAt, (state.disconnectedAt ?? 0) + timeoutMs);
  const wentOffline = state.online && now >= offlineAt;
  const becomesHandled = !state.offlinePeriodHandled && now >= lostAt;
  const updated = {
    ...state,
    online: state.online && !wentOffline,
    offlinePeriodHandled: state.offlinePeriodHandled || becomesHandled,
  };
  const dueAt = updated.online ? offlineAt : updated.offlinePeriodHandled ? null : lostAt;
  return { state: updated, wentOffline, isLost: becomesHandled && !wasShutdownAnnounced(state, timeoutMs), dueAt };
}

/**
 * Returns whether the watch has announced its shutdown and has then stopped sending. Heartbeats may still follow the
 * announcement, but a heartbeat after the timeout shows that the watch has stayed on.
 */
function wasShutdownAnnounced({ shutDownAt, lastSeenAt }: WatchLivenessState, timeoutMs: number): boolean {
  return shutDownAt !== null && lastSeenAt <= shutDownAt + timeoutMs;
}

export type LivenessEventKind = 'connected' | 'heartbeat' | 'shutting down' | 'disconnected';

/** A connection, heartbeat, announced shutdown or disconnect of a watch. `at`: Unix milliseconds. */
export interface LivenessEvent {
  principal: PrincipalKey;
  kind: LivenessEventKind;
  at: number;
}

/** Returns one summary per watch. The events must be in the order in which they occurred. */
export function summarizeLivenessEvents(events: readonly LivenessEvent[]): LivenessSummary[] {
  const summaries = new Map<PrincipalKey, LivenessSummary>();
  for (const event of events) {
    const { principal } = event;
    const empty = { principal, lastSeenAt: null, isNewConnection: false, disconnectedAt: null, shutDownAt: null };
    summaries.set(principal, addEvent(summaries.get(principal) ?? empty, event));
  }
  return [...summaries.values()];
}

function addEvent(summary: LivenessSummary, { kind, at }: LivenessEvent): LivenessSummary {
  if (kind === 'disconnected') return { ...summary, disconnectedAt: at };
  const seen = { ...summary, lastSeenAt: Math.max(summary.lastSeenAt ?? 0, at) };
  if (kind === 'connected') return { ...seen, isNewConnection: true, disconnectedAt: null, shutDownAt: null };
  return kind === 'heartbeat' ? seen : { ...seen, shutDownAt: at };
}

/** Returns how long a watch may send nothing before it is offline: twice the heartbeat interval. Milliseconds. */
export function offlineTimeoutMs({ HEARTBEAT_INTERVAL }: Environment): number {
  return HEARTBEAT_INTERVAL * 2_000;
}

function didOfPrincipal(watch: PrincipalKey): number {
  return Number(watch.slice('watch:'.length));
}

export function createPresenceChangedEvent(
  watch: PrincipalKey,
  online: boolean,
  time: number,
  lastSeen: number,
): NewEventOf<DomainEvents, 'gateway.watch.presence-changed'> {
  return {
    name: 'gateway.watch.presence-changed',
    key: watch,
    payload: { did: didOfPrincipal(watch), online, time, lastSeen },
  };
}

const DUE_WATCHES_BATCH_SIZE = 100;
/** Milliseconds before a lost connection is evaluated again while the projection of the watch's family is unknown. */
const UNKNOWN_FAMILY_RETRY_MS = 2_000;

type FamilyOfWatch = NonNullable<Awaited<ReturnType<FamilyLookupService['findByWatch']>>>;

/** A due watch and the decision about it; `binding` only if a lost connection must be reported. */
interface EvaluatedWatch extends LivenessDecision {
  watch: WatchPresenceEntity;
  binding?: FamilyOfWatch | undefined;
}

/**
 * Marks watches offline and notifies their guardians once per lost connection. Each due watch is processed by one node.
 */
@Injectable()
export class WatchLivenessService {
  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly outbox: GatewayOutbox,
    private readonly presence: PresenceRepository,
    private readonly families: FamilyLookupService,
    private readonly mailboxes: MailboxService,
    private readonly environment: Environment,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @OnJob('gateway.presence.mark-watches-offline', {
    intervalMs: 1_000,
    queue: { entity: WatchPresenceEntity, dueAt: 'dueAt' },
  })
  async markOffline(): Promise<void> {
    while ((await this.unitOfWork.run(() => this.processDueWatches())) === DUE_WATCHES_BATCH_SIZE);
  }

  /** Evaluates one batch of due watches in the current transaction; returns the size of the batch. */
  private async processDueWatches(): Promise<number> {
    const now = this.clock.now();
    const due = await this.presence.claimDueWatches(now, DUE_WATCHES_BATCH_SIZE);
    const servingSince = due.length > 0 ? await this.presence.findServingSince() : undefined;
    // While no node has a valid lease, no node can receive heartbeats, so no watch is marked offline.
    if (servingSince === undefined) return 0;
    const evaluated: EvaluatedWatch[] = [];
    for (const watch of due) evaluated.push(await this.evaluate(watch, now, servingSince));
    await this.presence.updateWatches(
      evaluated.map(({ watch, state, dueAt }) => ({ ...state, principal: watch.principal, dueAt })),
    );
    const offline = evaluated.filter(({ wentOffline }) => wentOffline);
    await this.outbox.appendMany(
      offline.map(({ watch }) => createPresenceChangedEvent(watch.principal, false, now, watch.lastSeenAt)),
    );
    for (const { watch, binding } of evaluated) if (binding) await this.publishLost(watch, binding, now);
    return due.length;
  }

  /**
   * Decides whether a watch whose check is due is offline. If its connection is lost and it is bound to a child, the
   * result contains the binding. While the projection of the family may be outdated, the lost connection is evaluated
   * again later, so that its notice is not omitted.
   */
  private async evaluate(watch: WatchPresenceEntity, now: number, servingSince: number): Promise<EvaluatedWatch> {
    const decision = evaluateLiveness(watch, now, servingSince, offlineTimeoutMs(this.environment));
    if (!decision.isLost) return { watch, ...decision };
    try {
      return { watch, ...decision, binding: await this.families.findByWatch(didOfPrincipal(watch.principal)) };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const state = { ...decision.state, offlinePeriodHandled: false };
      return { watch, ...decision, state, dueAt: now + UNKNOWN_FAMILY_RETRY_MS };
    }
  }

  /** Publishes the event of a lost connection and notifies the guardians. */
  private async publishLost(
    { principal, lastSeenAt }: WatchPresenceEntity,
    binding: FamilyOfWatch,
    time: number,
  ): Promise<void> {
    const did = didOfPrincipal(principal);
    const payload = { did, time, cause: WATCH_SHUTDOWN_CAUSE.LOST_CONNECTION };
    const event: NewEventOf<DomainEvents, 'gateway.watch.shut-down'> = {
      name: 'gateway.watch.shut-down',
      key: principal,
      payload,
    };
    await this.outbox.appendMany([event]);
    const subject = { familyId: binding.family.familyId, cid: binding.cid, audience: 'GUARDIANS' } as const;
    const kind = 'WristwatchShutdownNoticeMessage';
    const source = `${principal}:silent-since:${lastSeenAt}`;
    const message = { ...subject, kind, source, time, from: SYSTEM_SENDER, did, payload } as const;
    this.mailboxes.enqueue(toMailboxEntries(filterRecipients(subject, binding.family), message));
  }
}
