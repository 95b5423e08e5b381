import { ApiError, type FamilyWatchClient, type GatewayClient, type Schema } from '@family-watch/client';
import { callReducer, NO_CALL, type Call, type CallAction, type PartyKey } from './call-state.js';
import { PeerConnection } from './peer-connection.js';

type Signal = Schema<'CallSignalDto'>;

/** A call and its media, as the page shows it. */
export interface CallView {
  readonly call: Call;
  readonly localMedia?: MediaStream;
  readonly remoteMedia?: MediaStream;
  /** Whether media flows. */
  readonly isConnected: boolean;
  /** When media flowed for the first time, Unix milliseconds. */
  readonly connectedAt?: number;
  readonly isMuted: boolean;
  readonly isCameraOff: boolean;
  /** Whether there is another camera to switch to, as on most phones. */
  readonly hasOtherCamera: boolean;
}

const NO_MEDIA: Omit<CallView, 'call'> = {
  isConnected: false,
  isMuted: false,
  isCameraOff: false,
  hasOtherCamera: false,
};

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
  /** One camera is opened after the other. */
  private switching = Promise.resolve();

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

  /** Continues with the next camera of the device. Stays with this one if the next cannot be opened. */
  switchCamera(): Promise<void> {
    this.switching = this.switching.catch(() => undefined).then(() => this.openNextCamera());
    return this.switching;
  }

  private async openNextCamera(): Promise<void> {
    const { localMedia } = this.view;
    const [track] = localMedia?.getVideoTracks() ?? [];
    if (!localMedia || !track) return;
    const used = track.getSettings().deviceId;
    const cameras = await listCameras();
    const next = cameras[(cameras.findIndex(({ deviceId }) => deviceId === used) + 1) % cameras.length];
    if (!next) return;
    // Many phones open one camera at a time.
    track.stop();
    const media = (await openCamera(next.deviceId)) ?? (await openCamera(used));
    const [opened] = media?.getVideoTracks() ?? [];
    if (!opened) return;
    opened.enabled = !this.view.isCameraOff;
    await this.peer?.replaceVideo(opened).catch(() => undefined);
    // The call may have ended meanwhile.
    if (this.view.localMedia !== localMedia) {
      release(media);
      return;
    }
    this.update({ localMedia: new MediaStream([...localMedia.getAudioTracks(), opened]) });
  }

  private connect(callId: string, join: Schema<'CallJoinDto'>, media: MediaStream, isCaller: boolean): void {
    this.peer = new PeerConnection({
      client: this.client,
      callId,
      iceServers: join.iceServers ?? [],
      isCaller,
      // The person may have switched the camera meanwhile.
      media: this.view.localMedia ?? media,
      onRemoteMedia: (remoteMedia) => this.update({ remoteMedia }),
      onConnected: (isConnected) => {
        const { connectedAt = isConnected ? Date.now() : undefined } = this.view;
        this.update({ isConnected, ...(connectedAt !== undefined && { connectedAt }) });
      },
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
      const hasOtherCamera = (await listCameras()).length > 1;
      if (this.view.call.status === 'none' || this.view.call.status === 'ended') release(media);
      else this.update({ localMedia: media, hasOtherCamera });
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

async function listCameras(): Promise<MediaDeviceInfo[]> {
  const devices = (await navigator.mediaDevices?.enumerateDevices().catch(() => [])) ?? [];
  return devices.filter(({ kind }) => kind === 'videoinput');
}

function openCamera(deviceId: string | undefined): Promise<MediaStream | undefined> {
  const video = deviceId === undefined ? true : { deviceId: { exact: deviceId } };
  return navigator.mediaDevices.getUserMedia({ video }).catch(() => undefined);
}

function release(media: MediaStream | undefined): void {
  for (const track of media?.getTracks() ?? []) track.stop();
}
