import { createFamilies, type FamilyClient, type RegisteredFamily } from '../load/registered-family.js';
import type { CallerKind, Documents, Operation } from './documents.js';
import type { FuzzOptions } from './fuzz-options.js';
import { IdPool } from './id-pool.js';
import { encodeJson } from './mutations.js';
import { RandomChoice } from './random-choice.js';
import { createOperator, repeatIfDisconnected, type FuzzTarget, type OperatorCredentials } from './target.js';
import { ValidValues } from './valid-values.js';

/** Operations whose success takes the ground from the other iterations. */
export const DESTRUCTIVE =
  /delete|remove|leave|dissolve|signOut|transfer|unbind|revoke|purge|empty|resetPassword|setPassword|changePhone|replaceOperator|suspend|withdraw|abort|drop|shutdown|setAppRelease/i;

/** Probability that an id in a request belongs to another caller. */
const FOREIGN_ID_PROBABILITY = 0.1;
const CLOUD_PATH = '/app-api/mcdisk/wristwatch/familyCloud/';

/** Number of the first family of this process; different for each run on the same service. */
let nextFamily = Math.floor(Math.random() * 400_000);

/** A caller of requests and events, and the ids that the caller uses. */
export interface Caller {
  kind: CallerKind;
  token: string | undefined;
  ids: IdPool;
}

/** A request that follows the document. */
export interface ValidRequest {
  path: string;
  query: URLSearchParams;
  body: unknown;
}

interface Member {
  family: RegisteredFamily;
  ids: IdPool;
}

/** Two families with watches, an operator, and the ids of everything that they have created. */
export class FuzzCallers {
  /** Operations that accepted a valid request. */
  readonly accepted = new Set<string>();
  private readonly operatorIds = new IdPool();
  private operatorToken: string | undefined;

  private constructor(
    readonly target: FuzzTarget,
    readonly documents: Documents,
    private readonly members: readonly Member[],
  ) {}

  /** Creates both families and calls each operation with valid requests, so that each kind of resource exists. */
  static async create(
    target: FuzzTarget,
    documents: Documents,
    { seed, validRounds }: FuzzOptions,
    operator: OperatorCredentials | undefined,
  ): Promise<FuzzCallers> {
    const families = await repeatIfDisconnected(() => {
      nextFamily += 2;
      return createFamilies(target.url, target.dataDir, 2, nextFamily);
    });
    const members = families.map((family) => ({ family, ids: new IdPool() }));
    const callers = new FuzzCallers(target, documents, members);
    if (operator) await callers.signIn(operator);
    for (const member of members) await callers.createResources(member);
    for (let round = 0; round < validRounds; round += 1)
      await callers.callEachOperation(new RandomChoice(seed + round));
    return callers;
  }

  static async createOperator({ operatorEnvironment }: FuzzTarget): Promise<OperatorCredentials | undefined> {
    return operatorEnvironment && createOperator(operatorEnvironment);
  }

  /** Chooses a caller of this kind; without a token for an anonymous one. */
  async choose(kind: CallerKind, random: RandomChoice): Promise<Caller> {
    const { family, ids } = random.pick(this.members);
    const isOwner = random.chance(0.7);
    if (kind === 'operator') return { kind, token: this.operatorToken, ids: this.operatorIds };
    if (kind === 'anonymous') return { kind, token: undefined, ids };
    const { tokens } = kind === 'watch' ? family.watch : isOwner ? family.owner : family.guardian;
    return { kind, token: (await repeatIfDisconnected(() => tokens.get())).token, ids };
  }

  /** Returns a request that follows the document: path with query, and the value of the body. */
  validRequest(operation: Operation, caller: Caller, random: RandomChoice): ValidRequest {
    const values = this.valuesFor(this.documents.requestSchemas, caller, random);
    const query = new URLSearchParams();
    let { path } = operation;
    for (const { name, in: place, required, schema = {} } of operation.parameters) {
      const value = String(values.create(schema, name, random));
      if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value));
      else if (place === 'query' && (required || random.chance(name === 'cursor' ? 0.05 : 0.5)))
        query.append(name, value);
    }
    const body = operation.body && values.create(operation.body, '', random);
    return { path: query.size > 0 ? `${path}?${query.toString()}` : path, query, body };
  }

  /** Returns values for events, with ids that the caller uses. */
  eventValues(caller: Caller, random: RandomChoice): ValidValues {
    return this.valuesFor(this.documents.eventSchemas, caller, random);
  }

  private valuesFor(schemas: Documents['requestSchemas'], caller: Caller, random: RandomChoice): ValidValues {
    const foreign = [...this.members.map(({ ids }) => ids), this.operatorIds];
    return new ValidValues(schemas, (name) => {
      const ids = random.chance(FOREIGN_ID_PROBABILITY) ? random.pick(foreign) : caller.ids;
      return ids.choose(name, random);
    });
  }

  private async signIn({ loginName, password, recoveryCodes }: OperatorCredentials): Promise<void> {
    const body = { loginName, password, code: recoveryCodes.pop() };
    const signedIn = await this.call(undefined, 'POST', '/apis/v2/operator/account/sign-in', body);
    if (!signedIn) throw new Error('The operator cannot sign in');
    this.operatorToken = (signedIn as { accessToken: string }).accessToken;
  }

  /** Creates the resources that need more than one request, or a request that its schema alone does not describe. */
  private async createResources({ family, ids }: Member): Promise<void> {
    const { cid, did, cloudID, guardianContact, conversationId } = family;
    ids.collect({ cid, did, familyId: cloudID, refId: guardianContact, conversationId });
    const post = async ({ tokens }: FamilyClient, path: string, body: object) => {
      const response = await this.call((await tokens.get()).token, 'POST', path, body);
      ids.collect(response);
      return response;
    };
    const text = { kind: 'ChatTextMessage', clientMsgId: 'first', conversationId, text: 'Hello' };
    await post(family.guardian, '/apis/v2/message/send', text);
    await post(family.owner, '/apis/v2/message/send', text);
    const position = { latitude: '31.2', longitude: '121.4', radius: 9, pointType: 1, positionTime: Date.now() };
    await post(family.watch, '/apis/v2/userctx/watch/location/report', { points: [position] });
    await post(family.guardian, '/apis/v2/message/video-call/create', { to: { cid } });
    const upload = (await post(family.owner, `${CLOUD_PATH}getFileUploadURL`, {
      cloudID,
      uploadContentList: Array.from({ length: 4 }, (_, index) => ({ contentName: `${index}.jpg`, contentSize: 5 })),
    })) as { data: { uploadResult: { newContentIDList: { uploadURL: string }[] } } } | undefined;
    for (const { uploadURL } of upload?.data.uploadResult.newContentIDList.slice(0, 3) ?? [])
      await repeatIfDisconnected(() =>
        fetch(`${this.target.url}${new URL(uploadURL).pathname}`, { method: 'PUT', body: 'bytes' }),
      );
  }

  private async callEachOperation(random: RandomChoice): Promise<void> {
    for (const operation of this.documents.operations) {
      const { id, method, callers } = operation;
      if (DESTRUCTIVE.test(id) || !['GET', 'POST'].includes(method)) continue;
      for (const kind of callers) {
        const caller = await this.choose(kind, random);
        const { path, body } = this.validRequest(operation, caller, random);
        const response = await this.call(caller.token, method, path, body);
        if (response === undefined) continue;
        this.accepted.add(id);
        caller.ids.collect(response);
      }
    }
  }

  /** Calls an operation. @returns the JSON of a success, or undefined */
  private async call(token: string | undefined, method: string, path: string, body: unknown): Promise<unknown> {
    const init: RequestInit = {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: encodeJson(body) }),
      redirect: 'manual',
    };
    const response = await repeatIfDisconnected(() => fetch(`${this.target.url}${path}`, init));
    const text = await response.text();
    if (!response.ok) return undefined;
    return response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : {};
  }
}
