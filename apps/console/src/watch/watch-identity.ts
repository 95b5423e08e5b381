import {
  createClient,
  enrolWatch,
  GatewayClient,
  WatchKey,
  watchTokenSource,
  type FamilyWatchClient,
} from '@family-watch/client';
import { get, set } from 'idb-keyval';
import { createImei } from './imei.js';

const STORED_KEY = 'watch-key';
const STORED_IMEI = 'watch-imei';
/** An enrolled watch. */
export interface EnrolledWatch {
  readonly did: number;
  readonly client: FamilyWatchClient;
  readonly gateway: GatewayClient;
}

/**
 * Enrols the watch of this browser. The key pair is in IndexedDB and its private part cannot be exported, so that the
 * watch is the same after a reload.
 */
export async function enrolBrowserWatch(
  heartbeat: () => { battery: number; stepTotal: number },
): Promise<EnrolledWatch> {
  const url = location.origin;
  const key = await loadKey();
  const anonymous = createClient({ url });
  const claims = { imei: await loadImei(), model: 'Browser watch', firmwareVersion: '1.0.0' };
  const did = await enrolWatch(anonymous, key, claims);
  const tokens = watchTokenSource(anonymous, key, did);
  const client = createClient({ url, tokens });
  const gateway = new GatewayClient({ url, tokens, heartbeat });
  return { did, client, gateway };
}

async function loadKey(): Promise<WatchKey> {
  const stored = await get<CryptoKeyPair>(STORED_KEY);
  if (stored) return WatchKey.fromKeyPair(stored);
  const key = await WatchKey.generate();
  await set(STORED_KEY, key.keyPair);
  return key;
}

async function loadImei(): Promise<string> {
  const stored = await get<string>(STORED_IMEI);
  if (stored !== undefined) return stored;
  const imei = createImei();
  await set(STORED_IMEI, imei);
  return imei;
}
