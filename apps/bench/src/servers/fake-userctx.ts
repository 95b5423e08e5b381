import { randomUUID } from 'node:crypto';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import type { DomainEvent } from '@family-watch/domain/kernel/contracts/domain-event';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { createEnvelope } from '@family-watch/event-bus/envelope';
import { openNatsMessaging } from '@family-watch/event-bus/messaging';
import type { Messaging } from '@family-watch/event-bus/messaging';
import { partitionOf } from '@family-watch/event-bus/partition';
import { TokenIssuer } from './token-issuer.js';

const EVENTS_AT_ONCE = 50;

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Plays userctx to the gateway: signs tokens, says that nothing is revoked, and tells of families over the bus. */
export class FakeUserctx {
  private constructor(
    private readonly tokens: TokenIssuer,
    private readonly messaging: Messaging,
    private readonly closeRevocations: () => Promise<void>,
  ) {}

  static async start(natsUrl: string, prefix: string): Promise<FakeUserctx> {
    const tokens = await TokenIssuer.start();
    const messaging = await openNatsMessaging({ url: natsUrl, prefix, name: 'bench', logger: silent });
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

  /** Tells the gateway of families, as userctx's relay would. */
  async publishFamilies(families: readonly FamilySnapshot[]): Promise<void> {
    const byPartition = Map.groupBy(families, ({ familyId }) => partitionOf(familyId));
    for (const [partition, group] of byPartition) {
      for (let start = 0; start < group.length; start += EVENTS_AT_ONCE) {
        const events = group.slice(start, start + EVENTS_AT_ONCE).map(familyChanged);
        await this.messaging.bus.publish(createEnvelope('userctx', partition, events));
      }
    }
  }

  async stop(): Promise<void> {
    await this.closeRevocations();
    await this.messaging.close();
    this.tokens.stop();
  }
}

function familyChanged(snapshot: FamilySnapshot): DomainEvent {
  const { familyId } = snapshot;
  return { id: randomUUID(), name: 'userctx.family.changed', key: familyId, time: Date.now(), payload: snapshot };
}
