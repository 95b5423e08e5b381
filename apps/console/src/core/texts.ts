import i18next, { type BackendModule } from 'i18next';
import { initReactI18next, useTranslation } from 'react-i18next';
import en from './languages/en.json';

/** The languages of the console by their own names. The texts of each are in `languages/`, one namespace a feature. */
export const LANGUAGES = {
  en: 'English',
  'zh-CN': '简体中文',
  de: 'Deutsch',
  es: 'Español',
  ar: 'العربية',
} as const;
export type Language = keyof typeof LANGUAGES;

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: typeof en;
  }
}

const STORED_LANGUAGE = 'family-watch.language';

export function useLanguage(): [Language, (language: Language) => void] {
  const { i18n } = useTranslation();
  const change = (language: Language) => {
    localStorage.setItem(STORED_LANGUAGE, language);
    void i18n.changeLanguage(language);
  };
  return [i18n.language as Language, change];
}

/** Returns the first language of the person that the console has, whatever the country: `zh-HK` becomes `zh-CN`. */
function preferredLanguage(): Language {
  const own = Object.keys(LANGUAGES) as Language[];
  const languageOf = (tag: string) => tag.split('-')[0];
  const stored = localStorage.getItem(STORED_LANGUAGE);
  for (const tag of [...(stored === null ? [] : [stored]), ...navigator.languages]) {
    const language = own.find((each) => languageOf(each) === languageOf(tag));
    if (language) return language;
  }
  return 'en';
}

export function directionOf(language: string): 'ltr' | 'rtl' {
  return i18next.dir(language);
}

/** Before the first page is shown, and after each change. */
function showLanguage(language: string): void {
  document.documentElement.lang = language;
  document.documentElement.dir = directionOf(language);
}

// English is there from the start, so that a text is shown also if the file of another language cannot be loaded.
await i18next
  .use(initReactI18next)
  .use<BackendModule>({
    type: 'backend',
    init: () => undefined,
    read: (language, namespace, callback) => {
      (import(`./languages/${language}.json`) as Promise<{ default: typeof en }>).then(
        ({ default: texts }) => callback(null, texts[namespace as keyof typeof en]),
        (error: unknown) => callback(error as Error, null),
      );
    },
  })
  .init({
    lng: preferredLanguage(),
    fallbackLng: 'en',
    ns: Object.keys(en),
    resources: { en },
    partialBundledLanguages: true,
    interpolation: { escapeValue: false },
  });
i18next.on('languageChanged', showLanguage);
showLanguage(i18next.language);
