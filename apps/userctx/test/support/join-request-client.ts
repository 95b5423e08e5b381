import type { FamilyFixture } from './family-fixture.js';
import type { FamilyTestEnvironment } from './family-test-environment.js';
import type { Answer, Person } from './person.js';

const APPLICATION = 'device/contacts/application';

/** Applications to one family, over HTTP. */
export class JoinRequestClient {
  constructor(
    private readonly world: FamilyTestEnvironment,
    private readonly home: FamilyFixture,
  ) {}

  /** What the family's watch shows from now on. */
  async code(): Promise<string> {
    const { body } = await this.home.watch.post('/apis/v2/userctx/watch/family-code/create', {});
    return String(body['familyCode']);
  }

  applyWith(by: Person, fields: object): Promise<Answer> {
    return by.post(`${APPLICATION}/create`, fields);
  }

  /** Applies by what the watch shows; says the id. */
  async apply(by: Person, more: object = {}): Promise<string> {
    const { status, body } = await this.applyWith(by, { familyCode: await this.code(), ...more });
    if (status !== 200) throw new Error(JSON.stringify(body));
    return String(body['applicationId']);
  }

  /** By the owner unless somebody else is named, into role 4. */
  decide(
    how: 'approve' | 'reject',
    applicationId: string,
    more: object = {},
    by: Person = this.home.owner,
  ): Promise<Answer> {
    const { familyId } = this.home;
    return by.post(`${APPLICATION}/${how}`, { familyId, applicationId, role: 4, ...more });
  }

  cancel(applicationId: string, by: Person): Promise<Answer> {
    return by.post(`${APPLICATION}/cancel`, { applicationId });
  }

  /** As the person who applies sees it, or the owner with the family's id. */
  list(by: Person, query: { familyId?: string } = {}): Promise<Answer> {
    return by.get(`${APPLICATION}/list`, query);
  }

  async statesOf(by: Person): Promise<string[]> {
    const { body } = await this.list(by);
    return (body['items'] as { state: string }[]).map(({ state }) => state);
  }

  /** The states that the other apps were told, oldest first. */
  async told(): Promise<string[]> {
    const { familyId } = this.home;
    const events = await this.world.events<{ state: string }>(familyId, 'userctx.family-application.changed');
    return events.map(({ payload }) => payload.state);
  }
}
