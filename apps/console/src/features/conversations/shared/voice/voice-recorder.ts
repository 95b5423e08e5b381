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
  /** Ends the recording; it has ended by itself after the longest duration. */
  finish(): Promise<Recording>;
  /** Ends the recording and throws it away; idempotent. */
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
  const stopped = new Promise<void>((resolve) => {
    recorder.onstop = () => resolve();
  });
  recorder.start();
  const startedAt = performance.now();
  const stop = () => {
    clearTimeout(timer);
    if (recorder.state !== 'inactive') recorder.stop();
    release(stream);
  };
  const timer = setTimeout(stop, MAX_VOICE_MS);
  return {
    finish: async () => {
      const duration = durationOf(performance.now() - startedAt);
      stop();
      await stopped;
      return { file: new File(parts, 'voice.m4a', { type: 'audio/mp4' }), duration };
    },
    cancel: stop,
  };
}

async function recordWav(stream: MediaStream): Promise<VoiceRecorder> {
  const context = new AudioContext();
  // It may be suspended, because the person has pressed the button before the browser asked for the permission.
  await context.resume();
  await context.audioWorklet.addModule(workletUrl);
  const { sampleRate } = context;
  const source = context.createMediaStreamSource(stream);
  const capture = new AudioWorkletNode(context, 'capture', { numberOfOutputs: 0 });
  const parts: Float32Array[] = [];
  capture.port.onmessage = ({ data }: MessageEvent<Float32Array>) => void parts.push(data);
  source.connect(capture);
  const stop = () => {
    clearTimeout(timer);
    source.disconnect();
    release(stream);
    if (context.state !== 'closed') void context.close();
  };
  const timer = setTimeout(stop, MAX_VOICE_MS);
  return {
    finish: () => {
      stop();
      const rate = Math.min(sampleRate, WAV_SAMPLE_RATE);
      const samples = downsample(concatenate(parts), sampleRate, WAV_SAMPLE_RATE);
      const file = new File([encodeWav(samples, rate)], 'voice.wav', { type: 'audio/wav' });
      return Promise.resolve({ file, duration: durationOf((samples.length / rate) * 1_000) });
    },
    cancel: stop,
  };
}

/** Returns a duration that the service accepts. */
function durationOf(milliseconds: number): number {
  return Math.min(MAX_VOICE_MS, Math.max(1, Math.round(milliseconds)));
}

function release(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}
