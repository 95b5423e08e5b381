import type { DomainEvents } from '@family-watch/domain/events';
import type { FamilySnapshot, MemberSnapshot } from '@family-watch/domain/families/contracts/membership';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import type { MessageEnvelope } from '@family-watch/domain/messages/contracts/message-kinds';
import type { Location } from '@family-watch/domain/locations/contracts/location';
import type { TestClient } from '@family-watch/testing/clients/test-client';
import { familyOf, nextVersion, user, watch, type GatewayTestEnvironment } from './gateway-test-environment.js';

/** Events of userctx about a family. */
type FamilyEvent = {
  [Name in keyof DomainEvents]: DomainEvents[Name] extends { familyId: string } ? Name : never;
}[keyof DomainEvents];

/** A family with an owner, a guardian and one child with a watch; publishes the family's events as userctx does. */
export class FamilyFixture {
  readonly owner: Principal = user();
  readonly guardian: Principal = user();
  readonly watchPrincipal: Principal = watch();
  /** Newest snapshot of the family. */
  family: FamilySnapshot = familyOf(this.owner, [this.guardian], this.watchPrincipal);
  readonly cid: string = this.family.children[0]?.cid ?? '';
  readonly did: number = Number(this.watchPrincipal.id);

  constructor(private readonly testEnvironment: GatewayTestEnvironment) {}

  /** Creates a family and publishes its snapshot to the gateway. */
  static async createIn(testEnvironment: GatewayTestEnvironment): Promise<FamilyFixture> {
    const fixture = new FamilyFixture(testEnvironment);
    await testEnvironment.publishFamily(fixture.family);
    return fixture;
  }

  /** Publishes the next snapshot of the family, with these changes. */
  async change(change: Partial<FamilySnapshot>): Promise<void> {
    this.family = nextVersion(this.family, change);
    await this.testEnvironment.publishFamily(this.family);
  }

  /** Changes the role or the permissions of the guardian. */
  changeGuardian(change: Partial<MemberSnapshot>): Promise<void> {
    const { id } = this.guardian;
    return this.change({
      members: this.family.members.map((member) => (member.userId === id ? { ...member, ...change } : member)),
    });
  }

  removeGuardian(): Promise<void> {
    return this.change({ members: this.family.members.filter(({ userId }) => userId !== this.guardian.id) });
  }

  /** Binds another watch to the child, or none. */
  bind(newWatch: Principal | null): Promise<void> {
    return this.change({ children: [{ cid: this.cid, did: newWatch && Number(newWatch.id) }] });
  }

  /** Publishes an event about the family; the ids of the family, the child and the watch are added to the payload. */
  publish<Name extends FamilyEvent>(
    name: Name,
    payload: Omit<DomainEvents[Name], 'familyId' | 'cid' | 'did'> & { did?: number | null },
    id?: string,
  ): Promise<void> {
    const { familyId } = this.family;
    const complete = { familyId, cid: this.cid, did: this.did, ...payload } as unknown as DomainEvents[Name];
    return this.testEnvironment.publish({ name, key: familyId, payload: complete }, id);
  }

  publishContactChange(version: number, id?: string): Promise<void> {
    const change = { refId: 'r1', by: 'user:x', change: 'UPDATED', version } as const;
    return this.publish('userctx.contact.changed', change, id);
  }

  publishLocationChange(location: Location, correction: { corrects?: number } = {}): Promise<void> {
    return this.publish('userctx.location.changed', { location, ...correction });
  }
}

export function createLocation(latitude: string, positionTime = 1_790_000_000_000): Location {
  return { latitude, longitude: '121.4737', positionTime, radius: 20, pointType: 1 };
}

/**
 * Returns the received messages whose payload has a version, in order of receipt. Messages of a
 * conversation have no version.
 */
export function noticesOf(client: TestClient) {
  return client.durable.filter(({ payload }) => Object.hasOwn(payload as object, 'version'));
}

/** Returns the versions in the messages of {@link noticesOf}. */
export function versionsOf(client: TestClient): number[] {
  return noticesOf(client).map(({ payload }) => (payload as { version: number }).version);
}

/** Returns the head of the client's mailbox when it connected. */
export function headOf(client: TestClient): number {
  return client.hello?.head ?? Number.NaN;
}

export async function waitForNotices(client: TestClient, count: number): Promise<void> {
  await client.waitFor(() => noticesOf(client).length >= count, `${count} notices`);
}

/** Waits until the client has received so many messages of this kind. @returns the messages */
export async function waitForKind(client: TestClient, kind: string, count = 1): Promise<MessageEnvelope[]> {
  await client.waitFor(() => client.messagesOfKind(kind).length >= count, `${count} ${kind}`);
  return client.messagesOfKind(kind);
}

export async function waitForDurable(client: TestClient, count: number): Promise<void> {
  await client.waitFor(() => client.durable.length >= count, `${count} messages`);
}
