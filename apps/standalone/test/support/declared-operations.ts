import {
  ClientEventDispatcherService,
  type DeclaredClientEvent,
} from '@family-watch/gateway/connections/client-event-dispatcher.service';
import { declaredRoutes, type DeclaredRoute } from '@family-watch/platform/http/routes';
import { buildOfflineApp } from '../../src/documents/build-offline-app.js';

let declarations: Promise<{ routes: DeclaredRoute[]; events: DeclaredClientEvent[] }> | undefined;

/** Returns each route that the code declares, without a server. */
export async function declaredOperations(): Promise<DeclaredRoute[]> {
  return (await (declarations ??= readDeclarations())).routes;
}

/** Returns each socket event that the code declares. */
export async function declaredEvents(): Promise<DeclaredClientEvent[]> {
  return (await (declarations ??= readDeclarations())).events;
}

async function readDeclarations(): Promise<{ routes: DeclaredRoute[]; events: DeclaredClientEvent[] }> {
  const app = await buildOfflineApp();
  const dispatcher = app.get(ClientEventDispatcherService, { strict: false });
  dispatcher.onModuleInit();
  return { routes: declaredRoutes(app), events: dispatcher.list() };
}
