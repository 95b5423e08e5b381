import { useEffect, useState } from 'react';
import { vibrate } from './vibrate.js';

/** Two tones in hertz, and the seconds of each. */
const TONES = [880, 660] as const;
const TONE_SECONDS = 0.4;
/** Milliseconds of vibration and pause of phones that can vibrate. */
const VIBRATION = [400, 200, 400];
const CYCLE_MS = TONES.length * TONE_SECONDS * 1_000;

export interface Siren {
  /** The browser allows sound only after the person has touched the page. */
  isBlocked: boolean;
  /** Starts the sound; only a click may call it. */
  unblock: () => void;
}

/** Sounds an alarm as long as the part of the page is shown and `isOn`. @param volume - 0 to 1 */
export function useSiren(isOn: boolean, volume = 0.3): Siren {
  const [context, setContext] = useState<AudioContext>();
  const [isBlocked, setBlocked] = useState(false);
  useEffect(() => {
    if (!isOn) return;
    const audio = new AudioContext();
    const stopTones = repeatTones(audio, volume);
    audio.onstatechange = () => setBlocked(audio.state === 'suspended');
    setBlocked(audio.state === 'suspended');
    setContext(audio);
    return () => {
      stopTones();
      audio.onstatechange = null;
      void audio.close();
    };
  }, [isOn, volume]);
  return { isBlocked: isOn && isBlocked, unblock: () => void context?.resume() };
}

function repeatTones(audio: AudioContext, volume: number): () => void {
  const play = () => {
    if (audio.state !== 'running') return;
    const oscillator = new OscillatorNode(audio, { type: 'square' });
    TONES.forEach((frequency, index) =>
      oscillator.frequency.setValueAtTime(frequency, audio.currentTime + index * TONE_SECONDS),
    );
    oscillator.connect(new GainNode(audio, { gain: volume })).connect(audio.destination);
    oscillator.start();
    oscillator.stop(audio.currentTime + TONES.length * TONE_SECONDS);
    vibrate(VIBRATION);
  };
  play();
  const timer = setInterval(play, CYCLE_MS);
  return () => {
    clearInterval(timer);
    vibrate(0);
  };
}
