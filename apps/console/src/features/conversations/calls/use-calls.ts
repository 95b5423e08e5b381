import { useSyncExternalStore } from 'react';
import type { FamilyWatchClient, GatewayClient } from '@family-watch/client';
import { CallController, type CallView } from './call-controller.js';

/** A client of the service that can call: a session or the browser watch. */
interface Caller {
  readonly client: FamilyWatchClient;
  readonly gateway: GatewayClient;
}

const controllers = new WeakMap<Caller, CallController>();

/** The calls of a session or watch, and its present call. */
export function useCalls(caller: Caller): { calls: CallController; view: CallView } {
  let calls = controllers.get(caller);
  if (!calls) {
    calls = new CallController(caller.client, caller.gateway);
    controllers.set(caller, calls);
  }
  return { calls, view: useSyncExternalStore(calls.subscribe, calls.get) };
}
