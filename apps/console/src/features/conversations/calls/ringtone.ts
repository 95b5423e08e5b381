import { vibrate } from '../../../ui/vibrate.js';

const TONES_HZ = [660, 880];
const TONE_SECONDS = 0.25;
const REPEAT_MS = 2_000;

/**
 * Rings until the returned function is called. A browser is silent on a page on which the person has not done anything
 * yet, and does not vibrate; it still shows the call.
 */
export function startRinging(): () => void {
  const context = new AudioContext();
  const ring = () => {
    vibrate([300, 200, 300]);
    TONES_HZ.forEach((frequency, index) => {
      const start = context.currentTime + index * TONE_SECONDS;
      const gain = new GainNode(context, { gain: 0.15 });
      const tone = new OscillatorNode(context, { frequency });
      tone.connect(gain).connect(context.destination);
      tone.start(start);
      tone.stop(start + TONE_SECONDS);
    });
  };
  ring();
  const timer = setInterval(ring, REPEAT_MS);
  return () => {
    clearInterval(timer);
    vibrate(0);
    void context.close();
  };
}
