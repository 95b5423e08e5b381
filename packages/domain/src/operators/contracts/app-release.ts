/** Platforms of the app for parents. */
export const APP_PLATFORM = { ANDROID: 'ANDROID', IOS: 'IOS', HARMONYOS: 'HARMONYOS', WEB: 'WEB' } as const;
export type AppPlatform = (typeof APP_PLATFORM)[keyof typeof APP_PLATFORM];

/** A channel through which apps are distributed, such as `stable`, `beta` or the name of a store. */
export const APP_CHANNEL_PATTERN = /^[a-z][a-z0-9-]{0,31}$/;

/** Language of notes (BCP 47), such as `en` or `zh-CN`. */
export const NOTES_LANGUAGE_PATTERN = /^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,2}$/;

/** Maximum length of a version (SemVer 2.0.0). */
export const MAX_VERSION_LENGTH = 64;

/** Maximum number of releases, including withdrawn ones. */
export const MAX_APP_RELEASES = 1_000;

export const APP_RELEASE_LIMITS = { languages: 20, notesLength: 2_000, urlLength: 1_024 } as const;

/** Header with which an app names itself: `<platform>/<channel>/<version>`, such as `ANDROID/stable/2.4.0`. */
export const APP_VERSION_HEADER = 'x-app-version';

/** The lowest version of the app that the service supports on a platform and channel. */
export interface MinimumAppVersion {
  platform: AppPlatform;
  channel: string;
  version: string;
}
