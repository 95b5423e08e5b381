import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { DeleteRoomRequest } from '@livekit/protocol';
import { TokenVerifier } from 'livekit-server-sdk';

/**
 * The room service of a LiveKit server: verifies the token of each request, parses the request with LiveKit's protocol
 * package and deletes rooms.
 */
export class LocalLiveKit {
  readonly apiKey = 'key';
  readonly apiSecret = 'a secret of at least thirty-two characters';
  /** Rooms that exist. */
  readonly rooms = new Set<string>();
  /** Names of the rooms in requests to delete one, in order of arrival. */
  readonly deletions: string[] = [];
  /** Whether requests fail with status 503. */
  isUnavailable = false;

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => {
      this.respond(request).then(
        ([status, body]) => {
          response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
        },
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
    });
  }

  static async start(): Promise<LocalLiveKit> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new LocalLiveKit(server);
  }

  get url(): string {
    return `ws://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async respond(request: IncomingMessage): Promise<[status: number, body: object]> {
    const body: unknown = JSON.parse(await text(request));
    if (request.url !== '/twirp/livekit.RoomService/DeleteRoom') return [404, { code: 'bad_route', msg: '' }];
    const token = request.headers.authorization?.replace(/^Bearer /, '') ?? '';
    const { video } = await new TokenVerifier(this.apiKey, this.apiSecret).verify(token);
    if (video?.roomCreate !== true) return [403, { code: 'permission_denied', msg: '' }];
    const { room } = DeleteRoomRequest.fromJson(body as Parameters<typeof DeleteRoomRequest.fromJson>[0]);
    this.deletions.push(room);
    if (this.isUnavailable) return [503, { code: 'unavailable', msg: '' }];
    return this.rooms.delete(room) ? [200, {}] : [404, { code: 'not_found', msg: 'requested room does not exist' }];
  }
}
