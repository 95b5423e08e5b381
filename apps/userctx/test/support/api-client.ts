/** A response of the service. `body` is parsed JSON. */
export interface HttpResponse {
  status: number;
  body: Record<string, unknown>;
}

/** A valid body for creating a child, as in section 2.5 of the specification. */
export const CHILD = {
  name: 'Mia',
  phoneNumber: '13812345678',
  areaCode: '+86',
  appellation: 'Mimi',
  gender: 3 as const,
  weight: 120,
  height: 125,
};

type QueryParameters = Record<string, string | number>;

/** A client with an access token: a parent's phone, or a watch. */
export class ApiClient {
  constructor(
    private readonly baseUrl: string,
    readonly id: string,
    readonly phoneNumber: string,
    readonly token: string,
  ) {}

  get(path: string, query: QueryParameters = {}): Promise<HttpResponse> {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) search.set(name, String(value));
    return this.request(search.size > 0 ? `${path}?${search.toString()}` : path, { method: 'GET' });
  }

  post(path: string, body: object): Promise<HttpResponse> {
    return this.request(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
  }

  /** Creates a child and returns its id. */
  async createChild(fields: object = {}): Promise<string> {
    const { status, body } = await this.post('child/create', { ...CHILD, ...fields });
    if (status !== 200) throw new Error(`child/create returned ${status}: ${JSON.stringify(body)}`);
    return String(body['cid']);
  }

  /** Returns the family that this user owns. */
  async familyId(): Promise<string> {
    const { body } = await this.get('family/list');
    const families = body['items'] as { familyId: string; role: number }[];
    const own = families.find(({ role }) => role === 1);
    if (!own) throw new Error('This user owns no family');
    return own.familyId;
  }

  /** Creates an invitation to the family, which the guest accepts. */
  async addMember(guest: ApiClient, invitation: object): Promise<void> {
    const familyId = await this.familyId();
    const { body } = await this.post('family/invitation/create', { familyId, ...invitation });
    const { status } = await guest.post('family/invitation/accept', { code: body['code'] });
    if (status !== 200) throw new Error(`Accepting the invitation returned ${status}`);
  }

  /** Sends a request. `path` is relative to `/apis/v2/userctx/user/`, or absolute. */
  private async request(path: string, init: RequestInit): Promise<HttpResponse> {
    const url = path.startsWith('/') ? path : `/apis/v2/userctx/user/${path}`;
    const headers = { ...(init.headers as Record<string, string>), authorization: `Bearer ${this.token}` };
    const response = await fetch(`${this.baseUrl}${url}`, { ...init, headers });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }
}
