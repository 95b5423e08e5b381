import workletUrl from './capture.worklet.ts?worker&url';
import { concatenate, downsample, encodeWav, WAV_SAMPLE_RATE } from './wav.js';

/** The longest voice message that the service accepts. */
export const MAX_VOICE_MS = 60_000;

/**
 * AAC in MP4: every browser and the chips of watches play it, and it needs a tenth of the bytes of WAV. It must name
 * its codec: `audio/mp4` alone lets Chromium record Opus in MP4, which iPhones and watches do not play. Where
 * MediaRecorder cannot record AAC (Firefox, Chromium without licensed codecs), the recording is WAV, which everything
 * plays. Opus in WebM, which those browsers offer instead, is not played by older iPhones and by watches.
 */
const AAC_TYPE = 'audio/mp4;codecs=mp4a.40.2';
const AAC_BITS_PER_SECOND = 32_000;

export interface Recording {
  readonly file: File;
  /** Milliseconds. */
  readonly duration: number;
}

export interface VoiceRecorder {
  /** Ends the recording. */
  finish(): Promise<Recording>;
  /** Ends the recording and throws it away. */
  cancel(): void;
}

/** Begins to record from the microphone. Rejects with the `DOMException` of `getUserMedia` if it is not permitted. */
export async function startRecording(): Promise<VoiceRecorder> {
  const stream = await navigator.mediaDevices.getUserMedia({
    audio: { channelCount: 1, echoCancellation: true, noiseSuppression: true },
  });
  try {
    return typeof MediaRecorder !== 'undefined' && MediaRecorder.isTypeSupported(AAC_TYPE)
      ? recordAac(stream)
      : await recordWav(stream);
  } catch (error) {
    release(stream);
    throw error;
  }
}

function recordAac(stream: MediaStream): VoiceRecorder {
  const recorder = new MediaRecorder(stream, { mimeType: AAC_TYPE, audioBitsPerSecond: AAC_BITS_PER_SECOND });
  const parts: Blob[] = [];
  recorder.ondataavailable = ({ data }) => parts.push(data);
  recorder.start();
  const startedAt = performance.now();
  return {
    finish: () =>
      new Promise((resolve) => {
        const duration = durationSince(startedAt);
        recorder.onstop = () => {
          release(stream);
          resolve({ file: new File(parts, 'voice.m4a', { type: 'audio/mp4' }), duration });
        };
        recorder.stop();
      }),
    cancel: () => {
      recorder.stop();
      release(stream);
    },
  };
}

async function recordWav(stream: MediaStream): Promise<VoiceRecorder> {
  const context = new AudioContext();
  await context.audioWorklet.addModule(workletUrl);
  const source = context.createMediaStreamSource(stream);
  const capture = new AudioWorkletNode(context, 'capture', { numberOfOutputs: 0 });
  const parts: Float32Array[] = [];
  capture.port.onmessage = ({ data }: MessageEvent<Float32Array>) => void parts.push(data);
  source.connect(capture);
  const close = () => {
    source.disconnect();
    release(stream);
    void context.close();
  };
  return {
    finish: () => {
      const { sampleRate } = context;
      close();
      const samples = downsample(concatenate(parts), sampleRate, WAV_SAMPLE_RATE);
      const rate = Math.min(sampleRate, WAV_SAMPLE_RATE);
      const file = new File([encodeWav(samples, rate)], 'voice.wav', { type: 'audio/wav' });
      const duration = Math.min(MAX_VOICE_MS, Math.max(1, Math.round((samples.length / rate) * 1_000)));
      return Promise.resolve({ file, duration });
    },
    cancel: close,
  };
}

function durationSince(startedAt: number): number {
  return Math.min(MAX_VOICE_MS, Math.max(1, Math.round(performance.now() - startedAt)));
}

function release(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}
