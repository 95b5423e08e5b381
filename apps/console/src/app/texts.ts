import i18next from 'i18next';
import { initReactI18next, useTranslation } from 'react-i18next';

export const LANGUAGES = ['en', 'zh-CN'] as const;
export type Language = (typeof LANGUAGES)[number];

const STORED_LANGUAGE = 'family-watch.language';

/** Keys of texts with a plural are `<key>_one` and `<key>_other`; Chinese has only `<key>_other`. */
type Plural<Key extends string> = Key extends `${infer Base}_one` | `${infer Base}_other` ? Base : Key;

/** The texts of one feature in all languages. The types make a missing translation an error. */
export interface Texts<Key extends string> {
  readonly namespace: string;
  /** Never set; carries the type of the keys. */
  readonly key?: Plural<Key>;
}

export type Translate<Key extends string> = (key: Key, values?: Record<string, string | number>) => string;

/** Registers the texts of a feature. A feature that is loaded later registers its texts when it is loaded. */
export function defineTexts<Key extends string>(
  namespace: string,
  texts: { en: Record<Key, string>; 'zh-CN': Record<Exclude<NoInfer<Key>, `${string}_one`>, string> },
): Texts<Key> {
  for (const language of LANGUAGES) i18next.addResourceBundle(language, namespace, texts[language]);
  return { namespace };
}

/** Returns the function that translates the keys of a feature into the current language. */
export function useTexts<Key extends string>({ namespace }: Texts<Key>): Translate<Plural<Key>> {
  return useTranslation(namespace).t as unknown as Translate<Plural<Key>>;
}

export function useLanguage(): [Language, (language: Language) => void] {
  const { i18n } = useTranslation();
  const change = (language: Language) => {
    localStorage.setItem(STORED_LANGUAGE, language);
    void i18n.changeLanguage(language);
  };
  return [i18n.language as Language, change];
}

function preferredLanguage(): Language {
  const stored = localStorage.getItem(STORED_LANGUAGE);
  const preferred = [stored, ...navigator.languages].find((each) => each?.startsWith('en') || each?.startsWith('zh'));
  return preferred?.startsWith('zh') ? 'zh-CN' : 'en';
}

// Texts are registered while modules are loaded, so that the resources must exist before.
await i18next.use(initReactI18next).init({
  lng: preferredLanguage(),
  fallbackLng: 'en',
  resources: {},
  interpolation: { escapeValue: false },
});
i18next.on('languageChanged', (language) => (document.documentElement.lang = language));
document.documentElement.lang = i18next.language;
