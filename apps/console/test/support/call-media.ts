import { waitFor } from '@family-watch/testing/waiting/wait-for';
import type { Page } from 'playwright-core';

/** Chromium's test pattern beeps about twice per second, and has 20 pictures per second. */
const PICTURES_WITHOUT_SOUND = 40;
/** Loudness, 0 to 1, above which the test pattern beeps. */
const BEEP_PEAK = 0.02;

/** The video of a call on a page, by its label: what is seen and heard of the other party. */
export class CallVideo {
  private readonly element: string;

  constructor(
    private readonly page: Page,
    label: string,
  ) {
    this.element = `document.querySelector('video[aria-label=${JSON.stringify(label)}]')`;
  }

  /** Waits until the video shows one new picture after the other. */
  async expectPictures(): Promise<void> {
    await this.page.evaluate(`${this.element}.firstPicture = ${this.pictures}`);
    await waitFor(async () => {
      const count = await this.page.evaluate<number>(`${this.pictures} - ${this.element}.firstPicture`);
      if (!(count >= 10)) throw new Error(`The video has shown ${count} pictures`);
    });
  }

  /** Waits until the sound contains a beep. */
  async expectSound(): Promise<void> {
    await this.listen();
    await waitFor(async () => {
      const peak = await this.page.evaluate<number>(`${this.element}.peak`);
      if (!(peak > BEEP_PEAK)) throw new Error(`The sound has a peak of ${peak}`);
    });
  }

  /** Waits until the video has shown many pictures in a row without a beep. */
  async expectSilence(): Promise<void> {
    await this.listen();
    await waitFor(async () => {
      const count = await this.page.evaluate<number>(`${this.pictures} - ${this.element}.pictureOfSound`);
      if (!(count >= PICTURES_WITHOUT_SOUND)) throw new Error(`There was a sound ${count} pictures ago`);
    });
  }

  private get pictures(): string {
    return `${this.element}.getVideoPlaybackQuality().totalVideoFrames`;
  }

  /** Begins to measure the sound. The page has been clicked, so that it may process sound. */
  private async listen(): Promise<void> {
    await this.page.evaluate(`{
      const video = ${this.element};
      if (!video.analyser) {
        const context = new AudioContext();
        video.analyser = new AnalyserNode(context, { fftSize: 32768 });
        context.createMediaStreamSource(video.srcObject).connect(video.analyser);
      }
      const samples = new Float32Array(video.analyser.fftSize);
      const pictures = () => video.getVideoPlaybackQuality().totalVideoFrames;
      video.peak = 0;
      video.pictureOfSound = pictures();
      clearInterval(video.listening);
      video.listening = setInterval(() => {
        video.analyser.getFloatTimeDomainData(samples);
        const peak = samples.reduce((max, sample) => Math.max(max, Math.abs(sample)), 0);
        video.peak = Math.max(video.peak, peak);
        if (peak > ${BEEP_PEAK}) video.pictureOfSound = pictures();
      }, 100);
    }`);
  }
}
