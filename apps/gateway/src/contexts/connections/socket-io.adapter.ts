import type { INestApplication } from '@nestjs/common';
import { AbstractWsAdapter } from '@nestjs/websockets';
import { Server } from 'socket.io';

const MAX_FRAME_BYTES = 64 * 1_024;

/**
 * Socket.IO on the app's own HTTP server and port, as the message contract wants it. Not Nest's `IoAdapter`, which
 * brings a second copy of Socket.IO and whose work, binding handlers, is what is left out here.
 */
export class SocketIoAdapter extends AbstractWsAdapter {
  constructor(app: INestApplication) {
    super(app.getHttpServer() as object);
  }

  create(): Server {
    return new Server(this.httpServer as ConstructorParameters<typeof Server>[0], {
      path: '/socket.io/',
      serveClient: false,
      transports: ['websocket'],
      allowUpgrades: false,
      perMessageDeflate: false,
      maxHttpBufferSize: MAX_FRAME_BYTES,
      connectTimeout: 10_000,
    });
  }

  /**
   * Nest would put one RxJS pipeline per kind on every socket, and answers nothing when a handler fails or a kind is
   * unknown. Events go from one listener per socket straight to the `EventDispatcher` instead.
   */
  bindMessageHandlers(): void {}
}
