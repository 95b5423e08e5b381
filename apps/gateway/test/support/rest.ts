import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import type { GatewayNode } from './gateway-node.js';
import type { GatewayTestEnvironment } from './gateway-test-environment.js';

export interface RestResponse {
  status: number;
  body: Record<string, unknown>;
  text: string;
}

/** Calls the gateway's REST operations as one principal at one node; paths are relative to /apis/v2/message/. */
export class RestCaller {
  constructor(
    private readonly testEnvironment: GatewayTestEnvironment,
    private readonly node: GatewayNode,
    private readonly principal: Principal,
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
    const authorization = `Bearer ${await this.testEnvironment.tokenOf(this.principal)}`;
    const url = new URL(pathAndQuery, `${this.node.url}/apis/v2/message/`);
    const response = await fetch(url, { method, body, headers: { ...headers, authorization } });
    const text = await response.text();
    return { status: response.status, body: JSON.parse(text) as Record<string, unknown>, text };
  }
}
