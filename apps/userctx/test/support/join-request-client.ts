import type { FamilyFixture } from './family-fixture.js';
import type { FamilyTestEnvironment } from './family-test-environment.js';
import type { HttpResponse, ApiClient } from './api-client.js';

const APPLICATION_PATH = 'device/contacts/application';

/** Sends join requests to one family over HTTP. */
export class JoinRequestClient {
  constructor(
    private readonly environment: FamilyTestEnvironment,
    private readonly family: FamilyFixture,
  ) {}

  /** Creates and returns a family code, which the family's watch displays. */
  async createCode(): Promise<string> {
    const { body } = await this.family.watch.post('/apis/v2/userctx/watch/family-code/create', {});
    return String(body['familyCode']);
  }

  sendRequest(by: ApiClient, fields: object): Promise<HttpResponse> {
    return by.post(`${APPLICATION_PATH}/create`, fields);
  }

  /** Sends a join request with a new family code. Returns the id of the join request. */
  async createRequest(by: ApiClient, extraFields: object = {}): Promise<string> {
    const { status, body } = await this.sendRequest(by, { familyCode: await this.createCode(), ...extraFields });
    if (status !== 200) throw new Error(JSON.stringify(body));
    return String(body['applicationId']);
  }

  /** Approves or rejects a join request, by default as the owner and with role 4. */
  decide(
    decision: 'approve' | 'reject',
    applicationId: string,
    extraFields: object = {},
    by: ApiClient = this.family.owner,
  ): Promise<HttpResponse> {
    const { familyId } = this.family;
    return by.post(`${APPLICATION_PATH}/${decision}`, { familyId, applicationId, role: 4, ...extraFields });
  }

  cancel(applicationId: string, by: ApiClient): Promise<HttpResponse> {
    return by.post(`${APPLICATION_PATH}/cancel`, { applicationId });
  }

  /** Lists join requests of the applicant, or of the family if `familyId` is set. */
  list(by: ApiClient, query: { familyId?: string } = {}): Promise<HttpResponse> {
    return by.get(`${APPLICATION_PATH}/list`, query);
  }

  async listStates(by: ApiClient): Promise<string[]> {
    const { body } = await this.list(by);
    return (body['items'] as { state: string }[]).map(({ state }) => state);
  }

  /** Returns the published states of the family's join requests, oldest first. */
  async publishedStates(): Promise<string[]> {
    const { familyId } = this.family;
    const events = await this.environment.events<{ state: string }>(familyId, 'userctx.family-application.changed');
    return events.map(({ payload }) => payload.state);
  }
}
