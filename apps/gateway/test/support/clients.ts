import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import type { TestClient } from '@family-watch/testing/clients/test-client';
import type { GatewayNode } from './gateway-node.js';
import { FamilyFixture } from './family-fixture.js';
import { environment, node } from './suite-gateway.js';

export interface RestResponse {
  status: number;
  body: Record<string, unknown>;
  text: string;
}

/** Calls the gateway's REST operations as one principal at one node; paths are relative to /apis/v2/message/. */
export class RestCaller {
  constructor(
    private readonly principal: Principal,
    private readonly at: GatewayNode,
  ) {}

  get(operation: string, query: Record<string, string> = {}): Promise<RestResponse> {
    return this.call('GET', `${operation}?${new URLSearchParams(query).toString()}`);
  }

  post(operation: string, body: object, headers: Record<string, string> = {}): Promise<RestResponse> {
    return this.call('POST', operation, JSON.stringify(body), { 'content-type': 'application/json', ...headers });
  }

  private async call(
    method: string,
    pathAndQuery: string,
    body?: string,
    headers: Record<string, string> = {},
  ): Promise<RestResponse> {
    const authorization = `Bearer ${await environment.tokenOf(this.principal)}`;
    const url = new URL(pathAndQuery, `${this.at.url}/apis/v2/message/`);
    const response = await fetch(url, { method, body, headers: { ...headers, authorization } });
    const text = await response.text();
    return { status: response.status, body: JSON.parse(text) as Record<string, unknown>, text };
  }
}

/** Creates a family and publishes its snapshot to the gateway. */
export const createFamily = (): Promise<FamilyFixture> => FamilyFixture.createIn(environment);

/** Connects a client that sends this cursor. Resolves after `hello`. */
export function connect(
  principal: Principal,
  at: GatewayNode = node,
  cursor: { last?: number; epoch?: number } = {},
): Promise<TestClient> {
  return environment.connect(at, principal, cursor);
}

/** Returns a caller of the REST operations. */
export const callerOf = (principal: Principal, at: GatewayNode = node): RestCaller => new RestCaller(principal, at);
