import { randomUUID } from 'node:crypto';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import type { DomainEvent } from '@family-watch/domain/kernel/contracts/domain-event';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { createEnvelope } from '@family-watch/event-bus/envelope';
import { openNatsMessaging, type Messaging } from '@family-watch/event-bus/messaging';
import { partitionOf } from '@family-watch/event-bus/partition';
import { TokenIssuer } from './token-issuer.js';

const EVENTS_PER_ENVELOPE = 50;

const silentLogger = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Replaces userctx: signs tokens, runs an empty revocation feed, and publishes families on the event bus. */
export class FakeUserctx {
  private constructor(
    private readonly tokens: TokenIssuer,
    private readonly messaging: Messaging,
    private readonly closeRevocationPublisher: () => Promise<void>,
  ) {}

  static async start(natsUrl: string, prefix: string): Promise<FakeUserctx> {
    const tokens = await TokenIssuer.start();
    const messaging = await openNatsMessaging({ url: natsUrl, prefix, name: 'bench', logger: silentLogger });
    const revocations = await messaging.openRevocationPublisher();
    await revocations.start({ listSince: () => Promise.resolve([]) });
    return new FakeUserctx(tokens, messaging, () => revocations.close());
  }

  get jwksUrl(): string {
    return this.tokens.jwksUrl;
  }

  issueToken(principal: Principal): Promise<string> {
    return this.tokens.issueToken(principal);
  }

  /** Publishes the families as userctx's outbox relay does. */
  async publishFamilies(families: readonly FamilySnapshot[]): Promise<void> {
    const byPartition = Map.groupBy(families, ({ familyId }) => partitionOf(familyId));
    for (const [partition, group] of byPartition) {
      for (let start = 0; start < group.length; start += EVENTS_PER_ENVELOPE) {
        const events = group.slice(start, start + EVENTS_PER_ENVELOPE).map(createFamilyChangedEvent);
        await this.messaging.bus.publish(createEnvelope('userctx', partition, events));
      }
    }
  }

  async stop(): Promise<void> {
    await this.closeRevocationPublisher();
    await this.messaging.close();
    this.tokens.stop();
  }
}

function createFamilyChangedEvent(snapshot: FamilySnapshot): DomainEvent {
  const { familyId } = snapshot;
  return { id: randomUUID(), name: 'userctx.family.changed', key: familyId, time: Date.now(), payload: snapshot };
}
