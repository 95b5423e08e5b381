import { isRetryable, type FamilyWatchClient, type Schema } from '@family-watch/client';

type Signal = Schema<'CallSignalDto'>;

const SIGNAL_ATTEMPTS = 4;
const RETRY_DELAY_MS = 500;
/** How often a lost media connection is built up again. */
const MAX_RESTARTS = 3;

export interface PeerOptions {
  client: FamilyWatchClient;
  callId: string;
  iceServers: RTCIceServer[];
  /** The offer is made by the calling party only, so that two offers cannot meet. */
  isCaller: boolean;
  /** Camera and microphone, as far as there are any. */
  media: MediaStream;
  onRemoteMedia: (media: MediaStream) => void;
  /** Whether media flows. */
  onConnected: (isConnected: boolean) => void;
  onFailed: (error: unknown) => void;
}

/** The media connection of a call, which is set up by signals that the service relays. */
export class PeerConnection {
  private readonly connection: RTCPeerConnection;
  /** Signals are handled and sent one after the other, because their order matters. */
  private incoming: Promise<void> = Promise.resolve();
  private outgoing: Promise<void> = Promise.resolve();
  private readonly earlyCandidates: RTCIceCandidateInit[] = [];
  private restarts = 0;
  private isClosed = false;

  constructor(private readonly options: PeerOptions) {
    const { iceServers, media, onRemoteMedia, isCaller } = options;
    const connection = new RTCPeerConnection({ iceServers });
    this.connection = connection;
    connection.onicecandidate = ({ candidate }) => {
      if (candidate) this.send({ type: 'CANDIDATE', data: JSON.stringify(candidate) });
    };
    connection.ontrack = ({ streams: [remote] }) => remote && onRemoteMedia(remote);
    connection.onconnectionstatechange = () => this.onStateChange();
    for (const track of media.getTracks()) connection.addTrack(track, media);
    if (!isCaller) return;
    // Who has no camera or microphone still sees and hears the other party.
    for (const kind of ['audio', 'video'] as const)
      if (!media.getTracks().some((track) => track.kind === kind))
        connection.addTransceiver(kind, { direction: 'recvonly' });
    void this.offer();
  }

  receive(signal: Signal): void {
    this.incoming = this.incoming.then(() => this.handle(signal)).catch((error: unknown) => this.fail(error));
  }

  /** Sends the picture of another camera; the other party sees no interruption. */
  async replaceVideo(track: MediaStreamTrack): Promise<void> {
    await this.connection
      .getSenders()
      .find((sender) => sender.track?.kind === 'video')
      ?.replaceTrack(track);
  }

  close(): void {
    this.isClosed = true;
    this.connection.close();
  }

  private async handle({ type, data }: Signal): Promise<void> {
    if (this.isClosed) return;
    const { connection } = this;
    if (type === 'CANDIDATE') {
      const candidate = JSON.parse(data) as RTCIceCandidateInit;
      if (connection.remoteDescription) await connection.addIceCandidate(candidate);
      else this.earlyCandidates.push(candidate);
      return;
    }
    await connection.setRemoteDescription({ type: type === 'OFFER' ? 'offer' : 'answer', sdp: data });
    for (const candidate of this.earlyCandidates.splice(0)) await connection.addIceCandidate(candidate);
    if (type !== 'OFFER') return;
    await connection.setLocalDescription();
    this.send({ type: 'ANSWER', data: connection.localDescription?.sdp ?? '' });
  }

  private async offer(): Promise<void> {
    try {
      await this.connection.setLocalDescription();
      this.send({ type: 'OFFER', data: this.connection.localDescription?.sdp ?? '' });
    } catch (error) {
      this.fail(error);
    }
  }

  private onStateChange(): void {
    const { connectionState } = this.connection;
    this.options.onConnected(connectionState === 'connected');
    if (connectionState === 'connected') this.restarts = 0;
    if (connectionState === 'failed' && this.options.isCaller) void this.restart();
  }

  /** Looks for another way to the other party, for example after a change from Wi-Fi to the mobile network. */
  private async restart(): Promise<void> {
    if (this.restarts >= MAX_RESTARTS) return;
    this.restarts += 1;
    try {
      const { iceServers = [] } = await this.options.client.videoCalls.getToken({ callId: this.options.callId });
      if (this.isClosed) return;
      this.connection.setConfiguration({ iceServers });
      this.connection.restartIce();
      await this.offer();
    } catch (error) {
      this.fail(error);
    }
  }

  private send(signal: Signal): void {
    this.outgoing = this.outgoing.then(() => this.deliver(signal)).catch((error: unknown) => this.fail(error));
  }

  private async deliver(signal: Signal): Promise<void> {
    const { client, callId } = this.options;
    const idempotencyKey = crypto.randomUUID();
    for (let attempt = 1; !this.isClosed; attempt += 1) {
      try {
        await client.videoCalls.signal({ callId, signal }, { idempotencyKey });
        return;
      } catch (error) {
        if (attempt >= SIGNAL_ATTEMPTS || !isRetryable(error)) throw error;
        await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS * 2 ** attempt));
      }
    }
  }

  private fail(error: unknown): void {
    if (!this.isClosed) this.options.onFailed(error);
  }
}
