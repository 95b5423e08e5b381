import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import type { Location } from '@family-watch/domain/locations/contracts/location';
import type { TestClient } from '@family-watch/testing/clients/test-client';
import { familyOf, user, watch } from './gateway-test-environment.js';
import type { GatewayTestEnvironment } from './gateway-test-environment.js';

/** A family with an owner, a guardian and one child with a watch; publishes the family's events as userctx does. */
export class FamilyFixture {
  readonly owner: Principal = user();
  readonly guardian: Principal = user();
  readonly watchPrincipal: Principal = watch();
  readonly family: FamilySnapshot = familyOf(this.owner, [this.guardian], this.watchPrincipal);
  readonly cid: string = this.family.children[0]?.cid ?? '';
  readonly did: number = Number(this.watchPrincipal.id);

  constructor(private readonly testEnvironment: GatewayTestEnvironment) {}

  /** Creates a family and publishes its snapshot to the gateway. */
  static async createIn(testEnvironment: GatewayTestEnvironment): Promise<FamilyFixture> {
    const fixture = new FamilyFixture(testEnvironment);
    await testEnvironment.publishFamily(fixture.family);
    return fixture;
  }

  publishContactChange(version: number, id?: string): Promise<void> {
    const { familyId } = this.family;
    const contact = { familyId, cid: this.cid, did: this.did, refId: 'r1', by: 'user:x' } as const;
    const payload = { ...contact, change: 'UPDATED', version } as const;
    return this.testEnvironment.publish({ name: 'userctx.contact.changed', key: familyId, payload }, id);
  }

  publishLocationChange(location: Location): Promise<void> {
    const { familyId } = this.family;
    const payload = { familyId, cid: this.cid, did: this.did, location };
    return this.testEnvironment.publish({ name: 'userctx.location.changed', key: familyId, payload });
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

export async function waitForDurable(client: TestClient, count: number): Promise<void> {
  await client.waitFor(() => client.durable.length >= count, `${count} messages`);
}
