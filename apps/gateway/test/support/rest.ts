import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import type { GatewayNode } from './gateway-node.js';
import type { GatewayTestEnvironment } from './gateway-test-environment.js';

export interface RestAnswer {
  status: number;
  body: Record<string, unknown>;
  text: string;
}

/** A caller of the gateway's operations, at one node. */
export class RestCaller {
  constructor(
    private readonly world: GatewayTestEnvironment,
    private readonly node: GatewayNode,
    private readonly principal: Principal,
  ) {}

  get(name: string, query: Record<string, string> = {}): Promise<RestAnswer> {
    return this.call('GET', `${name}?${new URLSearchParams(query).toString()}`);
  }

  post(name: string, body: object, headers: Record<string, string> = {}): Promise<RestAnswer> {
    return this.call('POST', name, JSON.stringify(body), { 'content-type': 'application/json', ...headers });
  }

  private async call(
    method: string,
    name: string,
    body?: string,
    headers: Record<string, string> = {},
  ): Promise<RestAnswer> {
    const authorization = `Bearer ${await this.world.tokenOf(this.principal)}`;
    const address = `${this.node.url}/apis/v2/message/${name}`;
    const answer = await fetch(address, { method, body, headers: { ...headers, authorization } });
    const text = await answer.text();
    return { status: answer.status, body: JSON.parse(text) as Record<string, unknown>, text };
  }
}
