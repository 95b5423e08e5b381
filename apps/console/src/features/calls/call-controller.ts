import { ApiError } from '@family-watch/client';
import type { FamilyWatchClient, GatewayClient, Schema } from '@family-watch/client';
import { callReducer, NO_CALL } from './call-state.js';
import type { Call, CallAction, PartyKey } from './call-state.js';
import { PeerConnection } from './peer-connection.js';

type Signal = Schema<'CallSignalDto'>;

/** A call and its media, as the page shows it. */
export interface CallView {
  readonly call: Call;
  readonly localMedia?: MediaStream;
  readonly remoteMedia?: MediaStream;
  /** Whether media flows. */
  readonly isConnected: boolean;
  readonly isMuted: boolean;
  readonly isCameraOff: boolean;
}

const NO_MEDIA: Omit<CallView, 'call'> = { isConnected: false, isMuted: false, isCameraOff: false };

/**
 * The video call of a page: of a person's or of the browser watch. There is at most one, and it ends for this page when
 * the page is closed; the service ends it for the other party a minute later.
 */
export class CallController {
  private view: CallView = { call: NO_CALL, ...NO_MEDIA };
  private readonly listeners = new Set<() => void>();
  private peer: PeerConnection | undefined;
  /** Signals of the caller that arrive before the person has accepted. */
  private earlySignals: Signal[] = [];

  constructor(
    private readonly client: FamilyWatchClient,
    gateway: GatewayClient,
  ) {
    gateway.onMessage('VideoCallInNoticeMessage', ({ payload }) => {
      if (payload.signal) this.onSignal(payload.callId, payload.signal);
      else this.dispatch({ type: 'notice-in', notice: payload });
    });
    gateway.onMessage('VideoCallOutNoticeMessage', ({ payload }) => {
      if (payload.signal) this.onSignal(payload.callId, payload.signal);
      else this.dispatch({ type: 'notice-out', notice: payload });
    });
  }

  readonly subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  readonly get = (): CallView => this.view;

  /** Calls a child's watch, or a member from a watch. */
  async start(party: PartyKey, to: Schema<'CallTargetDto'>): Promise<void> {
    this.dispatch({ type: 'called', party });
    const { call } = this.view;
    if (call.status !== 'outgoing' || call.callId !== undefined) return;
    try {
      const media = await this.openMedia();
      if (this.view.call !== call) return;
      const { callId, state, provider, join } = await this.client.videoCalls.create(
        { to },
        { idempotencyKey: crypto.randomUUID() },
      );
      if (this.view.call !== call) {
        // The person has hung up while the call was created.
        await this.client.videoCalls.hangUp({ callId });
        return;
      }
      if (provider !== 'webrtc') throw await this.unsupported(callId);
      this.dispatch({ type: 'created', callId, state });
      if (join) this.connect(callId, join, media, true);
    } catch (error) {
      this.dispatch({ type: 'failed', error });
    }
  }

  async accept(): Promise<void> {
    const { call } = this.view;
    if (call.status !== 'incoming') return;
    const { callId } = call;
    this.dispatch({ type: 'accepting' });
    try {
      const media = await this.openMedia();
      const { join, provider } = await this.client.videoCalls.accept({ callId });
      if (!this.isCurrent(callId)) return;
      if (provider !== 'webrtc') throw await this.unsupported(callId);
      this.dispatch({ type: 'accepted' });
      if (join) this.connect(callId, join, media, false);
    } catch (error) {
      this.dispatch({ type: 'failed', error });
    }
  }

  /** Rejects an incoming call. Without a connection, it rings on at the other party until its time is over. */
  async reject(): Promise<void> {
    const { call } = this.view;
    if (call.status !== 'incoming') return;
    this.dispatch({ type: 'left' });
    await this.client.videoCalls.reject({ callId: call.callId }).catch(() => undefined);
  }

  async hangUp(): Promise<void> {
    const { call } = this.view;
    this.dispatch({ type: 'left' });
    if (!('callId' in call) || call.callId === undefined) return;
    // The other party may have hung up first, or the service ends the call when this page has gone.
    await this.client.videoCalls.hangUp({ callId: call.callId }).catch(() => undefined);
  }

  close(): void {
    this.dispatch({ type: 'closed' });
  }

  toggleMute(): void {
    const isMuted = !this.view.isMuted;
    for (const track of this.view.localMedia?.getAudioTracks() ?? []) track.enabled = !isMuted;
    this.update({ isMuted });
  }

  toggleCamera(): void {
    const isCameraOff = !this.view.isCameraOff;
    for (const track of this.view.localMedia?.getVideoTracks() ?? []) track.enabled = !isCameraOff;
    this.update({ isCameraOff });
  }

  private connect(callId: string, join: Schema<'CallJoinDto'>, media: MediaStream, isCaller: boolean): void {
    this.peer = new PeerConnection({
      client: this.client,
      callId,
      iceServers: join.iceServers ?? [],
      isCaller,
      media,
      onRemoteMedia: (remoteMedia) => this.update({ remoteMedia }),
      onConnected: (isConnected) => this.update({ isConnected }),
      onFailed: (error) => {
        // Signals after the end of the call are rejected; the notice of its end says why.
        if (error instanceof ApiError && error.reason === 'CALL_STATE') return;
        void this.client.videoCalls.hangUp({ callId }).catch(() => undefined);
        this.dispatch({ type: 'failed', error });
      },
    });
    for (const signal of this.earlySignals.splice(0)) this.peer.receive(signal);
  }

  private onSignal(callId: string, signal: Signal): void {
    if (!this.isCurrent(callId)) return;
    if (this.peer) this.peer.receive(signal);
    else this.earlySignals.push(signal);
  }

  private isCurrent(callId: string): boolean {
    const { call } = this.view;
    return 'callId' in call && call.callId === callId;
  }

  /** Opens what there is of camera and microphone; none of both is no reason not to see the child. */
  private async openMedia(): Promise<MediaStream> {
    const wishes = [{ audio: true, video: true }, { audio: true }, { video: true }];
    for (const wish of wishes) {
      const media = await navigator.mediaDevices?.getUserMedia(wish).catch(() => undefined);
      if (!media) continue;
      if (this.view.call.status === 'none' || this.view.call.status === 'ended') release(media);
      else this.update({ localMedia: media });
      return media;
    }
    return new MediaStream();
  }

  /** Ends a call whose media this page cannot transport. */
  private async unsupported(callId: string): Promise<ApiError> {
    await this.client.videoCalls.hangUp({ callId }).catch(() => undefined);
    return new ApiError({ status: 503, code: 0, reason: 'VIDEO_UNAVAILABLE', message: 'Only WebRTC is supported' });
  }

  private dispatch(action: CallAction): void {
    const call = callReducer(this.view.call, action);
    if (call === this.view.call) return;
    if (call.status !== 'none' && call.status !== 'ended') {
      this.update({ call });
      return;
    }
    this.peer?.close();
    this.peer = undefined;
    this.earlySignals = [];
    release(this.view.localMedia);
    this.set({ call, ...NO_MEDIA });
  }

  private update(changes: Partial<CallView>): void {
    this.set({ ...this.view, ...changes });
  }

  private set(view: CallView): void {
    this.view = view;
    for (const listener of this.listeners) listener();
  }
}

function release(media: MediaStream | undefined): void {
  for (const track of media?.getTracks() ?? []) track.stop();
}
