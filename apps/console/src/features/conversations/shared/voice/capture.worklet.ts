/** The scope of an audio worklet, which TypeScript's library does not declare. */
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;

/** Posts the samples of the first channel, in the sample rate of the audio context. */
class CaptureProcessor extends AudioWorkletProcessor {
  process([input]: Float32Array[][]): boolean {
    const channel = input?.[0];
    // The browser reuses the array of the channel.
    if (channel) this.port.postMessage(channel.slice());
    return true;
  }
}

registerProcessor('capture', CaptureProcessor);

export {};
