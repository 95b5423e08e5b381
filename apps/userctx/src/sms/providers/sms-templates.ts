import { SMS_SCENES, type SmsScene } from '@family-watch/domain/accounts/contracts/account';
import { SMS_LANGUAGES, type SmsLanguage } from '@family-watch/domain/sms/contracts/sms';

/** Ids of templates that are registered with a provider, by scene and language. */
export class SmsTemplates {
  private readonly ids: ReadonlyMap<string, string>;

  /** @param list - `CODE.zh=SMS_1,ALERT.zh=SMS_2`; `CODE` is for all codes whose scene has no template */
  constructor(list: string) {
    const entries = list.split(',').filter((entry) => entry !== '');
    this.ids = new Map(entries.map((entry) => entry.split('=') as [string, string]));
  }

  /** Returns the scenes without any template. */
  findMissingScenes(): string[] {
    return [...Object.keys(SMS_SCENES), 'ALERT'].filter((scene) => this.findAny(scene as SmsScene) === undefined);
  }

  /** Returns the template of the language, or that of another language if there is none. */
  find(scene: SmsScene | 'ALERT', language: SmsLanguage): string | undefined {
    return this.findIn(scene, language) ?? this.findAny(scene);
  }

  private findAny(scene: SmsScene | 'ALERT'): string | undefined {
    return SMS_LANGUAGES.map((language) => this.findIn(scene, language)).find((id) => id !== undefined);
  }

  private findIn(scene: SmsScene | 'ALERT', language: SmsLanguage): string | undefined {
    const common = scene === 'ALERT' ? undefined : this.ids.get(`CODE.${language}`);
    return this.ids.get(`${scene}.${language}`) ?? common;
  }
}
